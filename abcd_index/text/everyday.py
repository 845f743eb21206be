"""Words that people type to a coding agent whatever they work on.

Prompt path. As ranking terms (``porter.analyse``); the words themselves, chosen by hand, are in ``tests/data``, and a
test holds that these are their stems.
"""

# Alone they tell no page from another. Words whose stem is also a subject's are left out: "stage" of staging, "contain"
# of a container, "valid" of validation.
EVERYDAY = frozenset(
    "abl accept across action actual ad add ago ahead allow almost alon along alreadi alwai anoth answer anyon anyth "
    "anywai app appar appear appli approach around arrai ask attempt automat avail avoid awai back background bad bar "
    "base basic baz becom begin behavior behaviour behind best better big bit bottom box break brief bring broken bug "
    "build button call care case caus certain chanc chang charact check choos class clean clear click close code "
    "color colour column come command comment commit common compar compil complet compon confirm connect consid "
    "consol content continu control convert copi correct count coupl cover crash creat current custom dai data date "
    "debug decid default defin definit delet describ descript design detail dev develop differ direct directori "
    "disabl displai doc document done doubl draft draw drop due earli earlier easi edit effect eight element empti "
    "enabl end enough ensur enter entir entri error especi even event everyon everyth everywher exact exampl exist "
    "expect explain extra fail failur fall fals far fast featur feel field figur file fill final find fine finish "
    "first five fix flag folder follow font foo forget form format forward found four free front full function gener "
    "get give go gone good got great green group grow guess half hand handl happen hard head header hei hello help hi "
    "hide high hit hold home hope hour howev huge idea ignor imag implement import improv includ inde info inform "
    "input insid instal instead issu item job join jump keep kei kind know label larg last late later latest layout "
    "lead learn least leav left length less letter level librari light like line link list littl load log long longer "
    "look lose lost lot low machin main make manag mani manual mark match matter max mayb mean meet mention menu merg "
    "messag method middl mind minut miss mode model modifi modul moment monei month morn mostli move much multipl "
    "name near need never new next nice night none normal note noth notic null number object often ok okai old on "
    "open oper opinion option order origin otherwis output outsid overal packag page pair panel paramet part "
    "particular pass past path pattern peopl perfect perhap person pick pictur piec place plai plain plan plu point "
    "popup possibl post pr prefer prepar present press pretti prevent preview previou print privat probabl problem "
    "proce process produc program progress project prompt proper properti public pull purpos push put question quick "
    "quickli quit qux random rather raw reach read readi real realli reason receiv recent record red refactor refer "
    "regard relat remain rememb remov renam render repeat replac repli repo report repositori request requir reset "
    "respond respons rest result return revert review rewrit right root round row rule run safe sai save screen "
    "script scroll search second section see seem select send sens sentenc separ server set setup sever shift short "
    "show side sidebar similar simpl simpli simplifi sinc singl site situat size skip slow small solut solv somehow "
    "someon someth sometim somewher soon sort sound sourc space speak special specif spend split stai stand standard "
    "start state statu step still stop store stori straight strang string structur stuff style submit success suggest "
    "summari support suppos sure switch symbol system tab tabl take talk target task team tell ten term test text "
    "thank thing think third though thought three time tini titl todai todo togeth tomorrow tool top total touch "
    "track tree trigger true try turn twice two type typic typo understand unit unless unus updat upper us usag user "
    "usual util valu variabl verifi version via video view visibl visit wai wait walk want warn watch web websit week "
    "well whether white whole wide width window wish within without wonder word work worker world worri wrap write "
    "wrong ye yeah year yellow yesterdai yet zero".split()
)

# Of these, in which people say what is to be done, whatever it is about: a prompt of a keyword and of these speaks of
# the keyword.
CHORES = frozenset(
    "abl actual add ago ahead almost alon along alreadi alwai anoth answer anybodi anyon anyth anywai app appar "
    "around awai bad basic becom behind believ best better big bit break brief bring broken bug build call came "
    "case certain chang check class clean cleanup close code come convert coupl crash creat delet differ done earli "
    "earlier easi end enough entir error especi even everybodi everyon everyth everywher exactli explain fail far "
    "fast featur file find first five fix four fridai function get give go gone good got half handl happen hard hei "
    "hello help hi hope howev idea implement import improv instead involv issu keep kind know last later latest "
    "least leav left less like line littl long longer look lot make mani matter mayb mean meant mention method "
    "minut mondai month morn mostli move much name near need never new next nice night nobodi none noth often ok "
    "okai old on open ought page particular perhap person plu possibl pretti probabl problem project properli put "
    "question quick quickli quit rather read realli refactor regard relat remov renam replac review right run sai "
    "saturdai second see seem set sever show side simpli simplifi sinc slow slowli small somebodi somehow someon "
    "someth sometim somewher soon start still stop sundai support suppos sure take task tell test thank thing think "
    "though three thursdai time todai togeth tomorrow total try tuesdai turn two type updat us usual valu variabl "
    "via wai wait want wednesdai week well whenev whether whole wish within without wonder work worth write wrong "
    "ye yeah year yesterdai yet".split()
)

# Groups of names for one thing; a keyword is found, as a line, where the prompt has another name of its group.
GROUPS = (
    "repo=repository db=database config=configuration env=environment auth=authentication auth=authorization "
    "authn=authentication authz=authorization "
    "k8s=kubernetes kube=kubernetes prod=production dev=development "
    "docs=documentation deps=dependencies msg=message cert=certificate pr=pull_request mr=merge_request "
    "param=parameter "
    "perf=performance app=application admin=administrator postgres=postgresql pg=postgres ts=typescript js=javascript "
    "vm=virtual_machine lb=load_balancer cpu=processor mem=memory cmd=command dir=directory err=error img=image "
    "info=information lib=library pkg=package ref=reference req=request resp=response spec=specification "
    "sync=synchronisation tmp=temporary util=utility var=variable async=asynchronous mongo=mongodb "
    "ci=continuous_integration i18n=internationalization l10n=localization a11y=accessibility o11y=observability"
)


def _names() -> "dict[str, list[tuple[str, list[str]]]]":
    """{first word of a name: [(the name, its other names)]}."""
    names: dict[str, list[str]] = {}
    for pair in GROUPS.split():
        short, _, long = pair.replace("_", " ").partition("=")
        names.setdefault(short, []).append(long)
        names.setdefault(long, []).append(short)
    found: dict[str, list[tuple[str, list[str]]]] = {}
    for name, others in names.items():
        found.setdefault(name.split()[0], []).append((name, others))
    return found


ABBREVIATIONS = _names()
