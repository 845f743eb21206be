"""On-demand recall: which pages of one or more stores answer a query, in which order and why; which pages want
keywords or upkeep; when each was last touched and how often it was recalled."""
