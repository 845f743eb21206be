"""Does a prompt bring the right page? The product's own hook over notes and prompts, beside other ways to choose."""
