"""Everyday words: those of developers' prompts, and of English, that tell nothing of which page is meant.

As a keyword of its own such a word ("fix", "test", "three") says too little, and in a prompt it is no sign that
the prompt is about something else. Their ranking stems (``porter.analyse``): ``tests/data/everyday.txt`` holds the
words themselves, and a test that these are their stems.
"""

# One text, split when loaded: a prompt pays less than for some seven hundred texts.
EVERYDAY = frozenset(
    "abl accept access across action actual ad add ago ahead allow almost alon along alreadi alwai anoth answer anyon "
    "anyth anywai app appar appear appli approach around arrai ask attempt automat avail avoid awai back background "
    "bad base basic becom begin behavior behaviour behind best better big bit bottom box break brief bring broken bug "
    "build button call care case caus certain chanc chang charact check choos class clean clear click close code "
    "color colour column come command comment commit common compar compil complet compon confirm connect consid "
    "consol contain content continu control convert copi correct count coupl cover crash creat current custom dai "
    "data date debug decid default defin definit delet depend describ descript design detail dev develop differ "
    "direct directori disabl displai doc document done doubl draft draw drop due earli earlier easi edit effect eight "
    "element empti enabl end enough ensur enter entir entri error especi even event everyon everyth everywher exact "
    "exampl except exist expect explain extra fail failur fall fals far fast featur feel field figur file fill final "
    "find fine finish first five fix flag folder follow font forget form format forward found four free front full "
    "function gener get give go gone good got great green group grow guess half hand handl happen hard head header "
    "hei hello help hi hide high hit hold home hope hour howev huge idea ignor imag implement import improv includ "
    "inde info inform input insid instal instead issu item job join jump keep kei kind know label larg last late "
    "later latest layout lead learn least leav left length less letter level librari light like line link list littl "
    "load local log long longer look lose lost lot low machin main make manag mani manual mark match matter max mayb "
    "mean meet mention menu merg messag method middl mind minut miss mode model modifi modul moment monei month morn "
    "mostli move much multipl name near need never new next nice night none normal note noth notic null number object "
    "often ok okai old on open oper opinion option order origin otherwis output outsid overal packag page pair panel "
    "paramet part particular pass past path pattern peopl perfect perhap person pick pictur piec place plai plain "
    "plan plu point popup possibl post pr prefer prepar present press pretti prevent preview previou print privat "
    "probabl problem proce process produc product program progress project prompt proper properti provid public pull "
    "purpos push put question quick quickli quit random rather raw reach read readi real realli reason receiv recent "
    "record red refactor refer regard relat remain rememb remov renam render repeat replac repli repo report "
    "repositori request requir reset respond respons rest result return revert review rewrit right root round row "
    "rule run safe sai save screen script scroll search second section see seem select send sens sentenc separ server "
    "set setup sever shift short show side sidebar similar simpl simpli simplifi sinc singl site situat size skip "
    "slow small solut solv somehow someon someth sometim somewher soon sort sound sourc space speak special specif "
    "spend split stage stai stand standard start state statu step still stop store stori straight strang string "
    "structur stuff style submit success suggest summari support suppos sure switch symbol system tab tabl take talk "
    "target task team tell ten term test text thank thing think third though thought three time tini titl todai "
    "togeth tomorrow tool top total touch track translat tree trigger true try turn twice two type typic typo "
    "understand undo unit unless unus updat upper us usag user usual util valid valu variabl verifi version via video "
    "view visibl visit wai wait walk want warn watch web websit week well whether white whole wide width window wish "
    "within without wonder word work worker world worri wrap write wrong ye yeah year yellow yesterdai yet zero".split()
)
