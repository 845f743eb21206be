"""Words that people type to a coding agent whatever they work on.

Prompt path. Kept as texts by first letter, each word between spaces: a set of so many words takes a prompt longer to
make than to ask. The words, chosen by hand, are in ``tests/data``; a test holds that these are theirs.
"""

# Ranking terms (``porter.analyse``) that alone tell no page from another. Words whose stem is also a subject's are left
# out: "stage" of staging, "contain" of a container, "valid" of validation.
EVERYDAY = {
    "a": (
        " abl accept across action actual ad add ago ahead allow almost alon along alreadi alwai anoth answer "
        "anyon anyth anywai app appar appear appli approach around arrai ask attempt automat avail avoid awai "
    ),
    "b": (
        " back background bad bar base basic baz becom begin behavior behaviour behind best better big bit "
        "bottom box break brief bring broken bug build button "
    ),
    "c": (
        " call care case caus certain chanc chang charact check choos class clean clear click close code color "
        "colour column come command comment commit common compar compil complet compon confirm connect consid "
        "consol content continu control convert copi correct count coupl cover crash creat current custom "
    ),
    "d": (
        " dai data date debug decid default defin definit delet describ descript design detail dev develop "
        "differ direct directori disabl displai doc document done doubl draft draw drop due "
    ),
    "e": (
        " earli earlier easi edit effect eight element empti enabl end enough ensur enter entir entri error "
        "especi even event everyon everyth everywher exact exampl exist expect explain extra "
    ),
    "f": (
        " fail failur fall fals far fast featur feel field figur file fill final find fine finish first five "
        "fix flag folder follow font foo forget form format forward found four free front full function "
    ),
    "g": " gener get give go gone good got great green group grow guess ",
    "h": (" half hand handl happen hard head header hei hello help hi hide high hit hold home hope hour howev huge "),
    "i": " idea ignor imag implement import improv includ inde info inform input insid instal instead issu item ",
    "j": " job join jump ",
    "k": " keep kei kind know ",
    "l": (
        " label larg last late later latest layout lead learn least leav left length less letter level librari "
        "light like line link list littl load log long longer look lose lost lot low "
    ),
    "m": (
        " machin main make manag mani manual mark match matter max mayb mean meet mention menu merg messag "
        "method middl mind minut miss mode model modifi modul moment monei month morn mostli move much "
        "multipl "
    ),
    "n": " name near need never new next nice night none normal note noth notic null number ",
    "o": " object often ok okai old on open oper opinion option order origin otherwis output outsid overal ",
    "p": (
        " packag page pair panel paramet part particular pass past path pattern peopl perfect perhap person "
        "pick pictur piec place plai plain plan plu point popup possibl post pr prefer prepar present press "
        "pretti prevent preview previou print privat probabl problem proce process produc program progress "
        "project prompt proper properti public pull purpos push put "
    ),
    "q": " question quick quickli quit qux ",
    "r": (
        " random rather raw reach read readi real realli reason receiv recent record red refactor refer regard "
        "relat remain rememb remov renam render repeat replac repli repo report repositori request requir "
        "reset respond respons rest result return revert review rewrit right root round row rule run "
    ),
    "s": (
        " safe sai save screen script scroll search second section see seem select send sens sentenc separ "
        "server set setup sever shift short show side sidebar similar simpl simpli simplifi sinc singl site "
        "situat size skip slow small solut solv somehow someon someth sometim somewher soon sort sound sourc "
        "space speak special specif spend split stai stand standard start state statu step still stop store "
        "stori straight strang string structur stuff style submit success suggest summari support suppos sure "
        "switch symbol system "
    ),
    "t": (
        " tab tabl take talk target task team tell ten term test text thank thing think third though thought "
        "three time tini titl todai todo togeth tomorrow tool top total touch track tree trigger true try "
        "turn twice two type typic typo "
    ),
    "u": " understand unit unless unus updat upper us usag user usual util ",
    "v": " valu variabl verifi version via video view visibl visit ",
    "w": (
        " wai wait walk want warn watch web websit week well whether white whole wide width window wish within "
        "without wonder word work worker world worri wrap write wrong "
    ),
    "y": " ye yeah year yellow yesterdai yet ",
    "z": " zero ",
}

# Words, as typed, in which people say what is to be done, whatever it is about: they say nothing of a page.
CHORES = {
    "a": (
        " able actually add addes adds again ago ahead almost alone along already also always another answer "
        "answered answeres answering answers any anybody anyone anything anyway app apparently around ask "
        "asked askes asking asks away "
    ),
    "b": (
        " bad basically because become before behind believe best better between big bit both break brief "
        "bring bringed bringes bringing brings broken bug bugs build builded buildes building builds "
    ),
    "c": (
        " call called calles calling calls came cannot case cases certain change changed changeing changely "
        "changes changing check checked checkes checking checks class clean cleaned cleanes cleaning cleans "
        "cleanup close closed closeed closees closeing closely closes closing code coded codeed codees "
        "codeing codely codes coding come comed comeed comees comeing comely comes coming convert converted "
        "convertes converting converts could couple crash crashed crashes crashing crashs create created "
        "createing creately creates creating "
    ),
    "d": " day days delete deleted deleteing deletely deletes deleting did different does done ",
    "e": (
        " each earlier early easy either else end enough entire error errors especially even evening ever "
        "every everybody everyone everything everywhere exactly explain explained explaines explaining "
        "explains "
    ),
    "f": (
        " fail failed failes failing fails far fast feature features few file files find finded findes finding "
        "finds first five fix fixed fixes fixing fixs for four friday from function functions "
    ),
    "g": (" get gets getting give gived giveed givees giveing gively gives giving go goed going gone good gos got "),
    "h": (
        " had half handle handled handleing handlely handles handling happen happened happenes happening "
        "happens hard hello help helped helpes helping helps here hey hi hope how however "
    ),
    "i": (
        " idea ideas if implement implemented implementes implementing implemently implements important "
        "improve improved improveing improvely improves improving instead into involve involved involveing "
        "involvely involves involving issue issues "
    ),
    "j": " just ",
    "k": " keep keeped keepes keeping keeps kind kinds know ",
    "l": (
        " last later latest least leave leaved leaveing leavely leaves leaving left less let like likely line "
        "lines little long longer look looked lookes looking looks lot lots "
    ),
    "m": (
        " make maked makeed makees makeing makely makes making many matter mattered matteres mattering matters "
        "maybe mean meaned meanes meaning means meant mention mentioned mentiones mentioning mentions method "
        "methods might minute minutes monday month months more morning most mostly move moved moveed movees "
        "moveing movely moves moving much must "
    ),
    "n": (
        " name names near need needed needes needing needs never new next nice night no nobody none nor not "
        "nothing now "
    ),
    "o": " off often ok okay old on one only open opened openes opening opens ought out over own ",
    "p": (
        " page pages particular perhaps person please plus possible pretty probably problem problems project "
        "projects properly put puts putting "
    ),
    "q": " question questions quick quickly quite ",
    "r": (
        " rather read readed reades reading reads really refactor refactored refactores refactoring refactors "
        "regard regarded regardes regarding regards related remove removed removeing removely removes "
        "removing rename renamed renameing renamely renames renaming replace replaced replaceing replacely "
        "replaces replacing review reviewed reviewes reviewing reviews right run running runs "
    ),
    "s": (
        " saied saies same saturday say sayed saying says second see seeing seem seemed seemes seeming seems "
        "sees set sets setting several shall should show showed showes showing shows side simplified "
        "simplifies simplify simplifyed simplifying simplifys simply since slow slowly small so some somebody "
        "somehow someone something sometimes somewhere soon start started startes starting starts still stop "
        "stopped stopping stops such sunday support supported supportes supporting supports suppose supposed "
        "supposeing supposely supposes supposing sure "
    ),
    "t": (
        " take taked takeed takees takeing takely takes taking task tasks tell telled telles telling tells "
        "test tests than thank thanked thankes thanking thanks that their them then there these they thing "
        "things think thinked thinkes thinking thinks this those though three through thursday time times "
        "today together tomorrow too totally try tryed trying trys tuesday turn turned turnes turning turns "
        "two type types "
    ),
    "u": (
        " until update updated updateing updately updates updating upon use used useing usely uses using usual usually "
    ),
    "v": " value values variable variables very via ",
    "w": (
        " wait want wanted wantes wanting wants was way ways wednesday week weeks well were what when whenever "
        "whether which while whole why will wish wished wishes wishing wishs with within without wonder "
        "wondered wonderes wondering wonders word words work worked workes working works worth would write "
        "writed writeed writees writeing writely writes writing wrong "
    ),
    "y": " yeah year years yes yesterday yet ",
}

# Pairs of names for one thing: a keyword is found, as a line, where the prompt has the other name of a pair.
NAMES = (
    " repo=repository db=database config=configuration env=environment auth=authentication auth=authorization "
    "authn=authentication authz=authorization k8s=kubernetes kube=kubernetes prod=production dev=development "
    "docs=documentation deps=dependencies msg=message cert=certificate pr=pull_request mr=merge_request "
    "param=parameter perf=performance app=application admin=administrator postgres=postgresql pg=postgres "
    "ts=typescript js=javascript vm=virtual_machine lb=load_balancer cpu=processor mem=memory cmd=command "
    "dir=directory err=error img=image info=information lib=library pkg=package ref=reference req=request "
    "resp=response spec=specification sync=synchronisation tmp=temporary util=utility var=variable "
    "async=asynchronous mongo=mongodb ci=continuous_integration i18n=internationalization l10n=localization "
    "a11y=accessibility o11y=observability "
)


def is_everyday(stem: str) -> bool:
    """Whether a ranking term tells little."""
    return " " + stem + " " in EVERYDAY.get(stem[:1], "")


def is_chore(word: str) -> bool:
    """Whether a word, in lower case, says nothing of a page."""
    return " " + word + " " in CHORES.get(word[:1], "")


def other_names(word: str) -> "list[tuple[str, str]]":
    """[(a name that begins with ``word``, another name of it)]. Words of a name have a space in between."""
    found: list[tuple[str, str]] = []
    if word not in NAMES:
        return found
    for start, end in ((" " + word + "=", " "), ("=" + word, "")):
        at = NAMES.find(start)
        while at >= 0:
            first = NAMES.rfind(" ", 0, at + 1) + 1
            short, _, long = NAMES[first : NAMES.index(" ", first)].partition("=")
            name, other = (short, long) if end else (long, short)
            if name.partition("_")[0] == word:
                found.append((name.replace("_", " "), other.replace("_", " ")))
            at = NAMES.find(start, at + 1)
    return found
