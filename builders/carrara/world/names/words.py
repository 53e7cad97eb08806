"""Word material of the English names: heads and tails of invented words by region, forms of names, words of titles.

`english.py` says how it is put together. Every release that names entities pins this file: an edit moves all names of
all worlds, and the golden names of the tests with it.
"""

from typing import Final, Literal

# A set of invented words is told by its tails; no word belongs to two sets.
WordSet = Literal["male", "female", "surname", "place", "wild", "firm", "realm", "coin", "genus", "epithet", "title"]

# The heads of each region's words. No head is the beginning of another one, of any region. Chosen by their tokens: with
# the tails below a word behind a space has 2.2 tokens of o200k_base on average.
HEADS: Final = (
    """
        Ar Par Pod Gar El Kar Lud Sar Ham Min Kud Bud Mod Hud Sel Fin Nod Bel Sud Pin Kod Hod Tud Lam Kor Rod Hin Ol
        Wes Rud Gud Rok Gib Pel Bon Rov Fel Trom Tin Hok Tam Nar Ron Stam Gram Bov Rek Wol Wil Sib Lor Mis Bok Brus
        Bish Lin Kam Rin Nam Wat Fen Bin Gor Kov Sor Stan Kin Del Lon Bam Kel Rel Gros Hib Gin Dev Lum Tres Fos Bram
        Mam Dram Dum Wid Fam Pam Wak Ir Din Tron Nin Rev Wir Swar Trad Grat Swal Lev Brot Tril Ov Trek Flor Flam Gror
        Brar Blol Swor Brin Thol Thar
    """,
    """
        En Rog Ban Mog Bal Ken Mil Nog Dor Tog Yog Kan Bog Fil Cog Gov Den Len Nan Gen Div Dub Til Con Pok Yuk Sov Cov
        Bren Tren Nes Pil Brom Mid Cul Fon Rab Dus Shiv Yan Pov Dok Lith Gos Glen Kib Tut Sith Lek Kom Il Tiv Yen Lut
        Clan Cen Teg Bros Kot Bil Tet Buk Dib Sut Ket Trab Trav Yok Clos Dut Fus Av Fas Sik Civ Cit Ced Rit Glob Shar
        Gwen Gil Lad Bron Eg Trag Clin Og Yar Shug Lil Trat Shen Clar Shan Cler Glas Shir Yosh Shin Shor Bror Glan
        Glor Trar Shal Gwor Clor
    """,
    """
        Hol Pres Bes Bres Tes Nav Los Ses Ches Zav Rav Dav Bol Mus Sav Sub Hug Gav Hor Tav Lav Kes Lun Prav Chun Gug
        Dres Kub Hun Kav Stav Mug Prom Kash Tok Kun Dod Pav Bav Hav Sug Dun Pob Zug Bun Slav Grav Krit Roth Prud Kug
        Slov Bid Kron Dug Kad Dob Vor Preg Stad Vod Brun Pad Kob Kab Vlad Hus Brid Nad Kris Ved Brad Pred Zid Chak
        Brug Stim Grad Nid Stem Chad Tum Tad Zad Gad Vin Prag Zum Chor Krak Zel Pron Chil Chan Zin Zlat Prev Prot Grar
        Prar Kror Dror Skar Krar Zdor Zes
    """,
    """
        Spar Cal Val Rem Col Dir Bret Pem Ret Cor Ros Tan Lan Prem Las Brem Tem Brit Mas Fet Det Gem Veg Tor Cas Bor
        Lem Cem Crem Fran Mut Gan Pret Gran Trem Crit Bem Nal Span Vir Mir Mek Tir Cran Fem Sper Trit Nek Ves Bran Cet
        Fir Sig Bos Tran Trib Vas Var Cron Gren Fren Priv Grid Gret Pren Crom Bras Lis Gir Sos Cir Gras Cris Cred Cod
        Sas Bir Pris Pir Vik Bik Vos Vig Cig Spir Gris Nir Cis Cres Gis Fris Brig Prin Cros Prov Spin Sev Cim Cin Pros
        Prog Spur Lir Tror Pror Cror Fror Bral Fral
    """,
    """
        Al Pol Vol Mat Kuk Sen Muk Hal Jes Ven Ren Tuk Tol Suk Ob Mol Huk Pat Luk Riv Kat Tar Lat Pon Nok Mul Mag Lok
        Nuk Mel Jen Viv Liv Kal Hen Non Von Siv Jub Kek Et Lal Jem Kag Jul Nug Kur Hur Jur Jon Kos Sum Hil Tel Uk Nash
        Rus Kum Pur Nom Kul Os Hul Tat Meth Jus Tid Nol Nem Pom Vel Vul Vid Vil Lar Hig Lom Lol Nel Mik Vit Vat Nil
        Jol Jum Vom Om Nen Kir Iv Vim Jel Ul Jad Vad Ug Jin Ib Ub Nev Ud Flug Plat Rur Piv Ral Vur Puk Ruk Jat Lesh
    """,
    """
        Sol Ber Fer Har Kol Fed Mes Klik Fol Jud Rom Mem Kred Dol Ster Lim Med Kon Gol Heb Lov Bot Seb Mok Ruth Nov
        Tod Jok Hub Seth Mit Ged Keb Jed Bas Bek Hash Sek Hed Hem Frem Jos Sok Ner Wel Nub Mub Ked Bush Wal Lod
        Ned Wor Ded Jet Sed Kuv Weg Tos Jav Klub Beth Tob Fut Wer Kut Stor Kev Stat Bul Fres Jak Brut Jov Sot Gat Fav
        Jer Klar Gim Klin Wis Stol Kras Gul Ful Wem Stel Bom Dul Wim Stil Wik Wad Fram Stir Jor Drer Brer Bler Drar
        Krer Blor Frer
    """,
    """
        Ver Sal Tab Der Sab Mun Ger Ab Dar Gal Dal Gab Nab Char Pag Bab Mab Rol Vog Dom Cush Dish Guth Zab Geg Sur Dab
        Tal Neb Mos Dash Tun Rash Mig Jal Jar Ter Leb Tek Vish Zal Peb Cer Ed Pas Zar Dek Pek Cath Ces Lig Fur Jag Yer
        Gam Zer Em Cub Ut Mer Fab Tig Jab Pul Cav Cur Ur Cel Bur Fot Jeg Vib Sul Ris Chal Vak Nur Ev Ler Gur Zur Od Ig
        Zul Zet Dur Cad Zot Id Chol Cham Ot Jas Yur Yol Yum Zam Cil Chen Eb Chem Chir Reb Clem Flem Lur Rar Pab Rer
        Vab Jev Yab
    """,
    """
        Ser Mal Or Mor Ak Mak Fak Sim Im Klim Pes Es Pan Rak Bak Nak Yak Dak Dim Zak Duk Som Seg Lak Hak Lib Han Hon
        Ag Deb Tak Nath Rath Hes Er Hos Tub Geb Mov Ik Ton Gon Rim Lug Tug Kush Sak Sid Rad Fal Nun Gus Hab Nik
        Kish Bod Ker Tik Mot Nish Mim Zus Het Tib Dat Fug Lik Pik Zan Yug Tas Nim Git Kem Zeb Zon Hik Tul Rik Zen Tus
        Yem Yon Zem Yun Kig Yor Nus Hir Ek Dil Thor Fid Lel Yas Gom Zut Thur Yin Zit Zir Skal Clim Ror Zor Fes Smor
        Smer Kler Fim Klan
    """,
)

# Heads that are a word or a common given name, which no second given name is.
NOT_GIVEN: Final = """
    Ar Par Pod Gar El Sar Ham Min Bud Hud Fin Nod Bel Pin Lam Kor Rod Hin Ol Wes Gib Bon Tin Tam Ron Gram Lin Nam Wat
    Fen Bin Gor Stan Kin Del Bam Rel Gin Dev Lum Dram Dum Wid Fam Pam Ir Din Tron Rev Wir Lev Ov Trek Flam Thar En Rog
    Ban Bal Ken Mil Nog Dor Kan Bog Cog Den Nan Gen Dub Til Con Mid Rab Shiv Yan Glen Tut Sith Lek Il Yen Clan Dib Av
    Gwen Gil Lad Eg Og Yar Shan Shin Bes Los Sub Hug Chun Mug Prom Dod Dun Bun Bid Dug Dob Pad Brad Grad Nid Stem Chad
    Tum Tad Gad Chil Chan Spar Cal Val Col Bret Cor Tan Lan Las Brit Mas Fet Gem Tor Fran Gan Span Mir Bran Fir Sig
    Vas Grid Lis Cod Cig Brig Spin Spur Al Pol Mat Sen Hal Tol Ob Pat Kat Tar Lat Pon Mag Mel Jen Liv Hen Non Von Et
    Jon Sum Uk Nash Os Tat Pom Lar Vat Nil Om Iv Ul Ug Jin Ib Ub Ud Sol Ber Fed Jud Mem Lim Med Kon Gol Bot Ruth Tod
    Hub Seth Ged Jed Bas Hash Hem Nub Bush Ned Jet Beth Wer Sot Gat Gim Gul Bom Wim Wad Stir Sal Tab Mun Ger Ab Dar
    Gal Dal Gab Nab Char Dom Dish Sur Dab Tal Neb Dash Tun Rash Mig Jar Ed Fur Jag Yer Gam Em Cub Ut Tig Jab Cur Ur
    Bur Ev Od Ig Cad Id Chol Cham Ot Chen Eb Reb Clem Ser Mal Or Mor Ak Im Es Pan Nak Yak Dim Zak Hak Han Hon Ag Deb
    Rath Er Tub Ik Ton Gon Rim Lug Tug Sid Rad Nun Gus Bod Mot Mim Het Nim Git Yon Yor Ek Thor Yas Yin Suk Kum Hor Hun
    Lib Yum Pag Sab Zen Klan Rus Fus Sed Priv Trib Glob Prog Prot Spir Crit Fas Sud Mod Trat Trag Swor Rom Dil Tik Dut
    Cit Fot Kag Lol Mus Cris Hus Stat Klub Fav Fut Sek Mub Kek Mak Fak Zit
"""

# The tails of each region. None is the beginning of another one of the region or of `TAILS`, with or without a middle.
REGIONAL_TAILS: Final[tuple[dict[WordSet, str], ...]] = (
    {
        "male": "ric win fred ulf ard mund wald mar kin orn lan rod vin",
        "female": "ella issa etta ora ena una ica inda ilda beth ada ily ara",
        "surname": "ock ick man son ler hart ward burn rell lock ster dern bert ness rock tell vern bold",
        "place": "beck ford wick ham bury stead worth ley combe dale by well field hurst gate low ton den wood port",
        "wild": "arken ilver asper umber ovel ossal addon istel ulton undur",
        "firm": "bell brand mont reck pack rand gent fox tack hall nard ling stack track",
    },
    {
        "male": "igan ogan bran con ran fin ullan annon tor til mon bor rod",
        "female": "inna una ella essa ora beth wen lia ria tia ary ily ira",
        "surname": "ennan ough acher iddel ullen ley ney rick nard lin gan don hern dart rell bell tack mun",
        "place": "loch ross lish mor wall val land port van head dal gar roch path stan sted bury den mel pel",
        "wild": "annel oren ovis ossen ulin erral okin athan istor apel",
        "firm": "mack tosh bill dock kin mill neck cord fern call trell pard west tress",
    },
    {
        "male": "mir dan slav otar odan zak vin jan bud ril lan bor mon",
        "female": "ena ina ita tara vara vela hera hana nera olka ola ara ada",
        "surname": "arek atek inek isek onek otek lik nik kov rin pol zer dek tik ulin asin osin itin",
        "place": "grad stok vice las zel gor dol most stan kop rud lom mol pod vod zan zor nov rov bar",
        "wild": "ubra odra agra erva ilka ulka onka orna urna imba",
        "firm": "zin bek tek mex vor ral tor nar lek kas bis dom gen kon",
    },
    {
        "male": "aldo ando ardo erto ino illo azzo endo oldo uto rol vin ero",
        "female": "ella essa ina isa ora ona illa anna ola etta ada ara ira",
        "surname": "elli etti ini ucci eni aldi asso otti anti azzi alli orti ardi ossi ulli ondi andi inni",
        "place": "bella berra cola dera fora gera leva lezza mena para posta rona rosa sera tola vara vena vedra venta",
        "wild": "urna ambra alda orna osta onda ulta arna usta unda",
        "firm": "beri bati coni finni getti meri nosti peri perti rosi reti seri vasti voli",
    },
    {
        "male": "ukka ikko imo iro uko armo ermo ismo alo ono rol jan mon",
        "female": "anni elli ikki immi inna irma ilta ulla unna essa ami ira ara",
        "surname": "inen onen anen ola ala osi oki isto unto appi asti otti akki aski ila olla aka una",
        "place": "kara haka hela hola hema jara jata lela mesa meta posa reta taka tanka vala vara vela tuka tila",
        "wild": "iske orre ulle ambe ukke umme irre osse alte otte",
        "firm": "halo hepo heli jati jeri meri pari pero poro rono seri tavi valo voli",
    },
    {
        "male": "bert helm hard wig olf rad brand gang win ulf nel bor nik",
        "female": "ilde inde ette une essa ika isa ona ora alda ara ily ola",
        "surname": "mann ler ger zer sen ling ring ning kel sel tern rich kamp mer lich tel gart held",
        "place": "dorf heim haus wald feld burg hof bach moor horn rode stadt werk hain stein berg bruch furt loh",
        "wild": "ammer ollen osten ander urre inken irken enger anken olden",
        "firm": "witz lau kraft mark buch fest gold post rost druck glas lack nick pol",
    },
    {
        "male": "ando iro ulo aldo ejo ixo ino ego azar udo ero esto vic",
        "female": "ila ela ita uxa osia aida eira ibel onda isa ada alia ira",
        "surname": "ez arra ibar osta endo uza aran umbre illo ado ares ales anto orte elo eno izo ito",
        "place": "barra bera bola cola desa gera jada jara jeta lega lera mesa nera pena posa ropa rosa veda zada zana",
        "wild": "antar usar imar osal umar isol orel ubal uras amil",
        "firm": "tera cano dial grupo vento viso vero remo reto metro mono paro pero sero",
    },
    {
        "male": "ios imon phon don ezer nor ram inos ikos ander mon vin nen",
        "female": "eia ione ira zia mele issa ola anna ita ena ada ura ara",
        "surname": "akis oulos atos otis idis elos istis anis oris imis eros ukas ilas ados adis edis unis olis",
        "place": "polis kara hara hana hasa hema tema leta lera mesa nera pera rema zada zana zela dera reza posta",
        "wild": "arnos irmos okka armos ernos ostos untos orkan undos ertos",
        "firm": "daki taki zeri zeni heri jani mani mati medi meli pari loni vali nosti",
    },
)
# Those of all regions.
TAILS: Final[dict[WordSet, str]] = {
    "realm": """
        avia ovia uria ania elia onia iria oria umia eria idor ilia amar ulia unia unne ovar ovina onne urra orra
    """,
    "coin": """
        vey jor nim fen ket tas rix rax jul pek lox mux vum kan ren wey wyn jin vik ryn lor lam lyn nal thal kol rim
        tal lar jem jos jud loon prin sten stell thern thon vard vend voll von vill zem zir zent
    """,
    "genus": """
        ana ium ida ades aster iera ula ucia iscus ulus imus odes opsis andra axis odon atea imia opus urus idium
        odium ema umus otus itus olus ilus orus icis emia amba aria icia idon irea astes ascus omia olia opis odia
        otia obia ibia imea enea encia acia urma amus apis axon amon iris ilea
    """,
    "epithet": """
        ata acus anea area atus ifer ipes ensa erea ulum arius inea ensis idus ocus orea utus atum icus ilis orius
        icula aris orum inum onica elis arum acea actus andus endus istus astus enta ulis udis umis imum unum urum
        andum endum oca uca aca
    """,
    "title": """
        voor loor veil roon ault keit vair raud nias shaw holm leigh haw veld holt raith waith thorn shire crest
        clave chell naire gren trand vaise zaile lais
    """,
}
# Between head and tail, where the words without are used up.
MIDDLES: Final = "av eb ek ev iv ep ob om oz uv"

# In these forms {a} and {b} are invented words. No form says what an entity is beyond its class.
COMPANY: Final = (
    "{a} & {b}", "{a} {b} Works", "{a} {b} & Sons", "{a} {b} Company", "{a} {b} Brothers", "{a} {b} Group",
    "{a} {b} Partners", "{a} {b} Limited", "{a} {b} Holdings", "{a} {b} Enterprises", "{a} {b} Associates",
    "{a} {b} & Daughters", "{a} {b} International",
)  # fmt: skip
SCHOOL: Final = (
    "{a} {b} College", "{a} {b} Academy", "{a} {b} Institute", "{a} {b} School", "{a} {b} Grammar School",
    "{a} {b} University", "{a} {b} Lyceum", "{a} {b} Polytechnic", "{a} and {b} College", "{a} {b} Seminary",
)  # fmt: skip
BUILDING: Final = (
    "{a} {b} House", "{a} {b} Building", "{a} {b} Place", "{a} {b} Court", "{a} {b} Rooms", "{a} {b} Yard",
    "{a} {b} Corner", "{a} {b} Lodge", "{a} and {b} House", "{a} {b} Terrace",
)  # fmt: skip
# A vehicle's word goes before one of these nouns, a letter and a number of these.
VEHICLE: Final = """
    Albatross Arrow Badger Beaver Breeze Buzzard Challenger Comet Condor Courier Crane Curlew Dolphin Drifter Eagle
    Explorer Falcon Gannet Gazelle Greyhound Heron Hornet Kestrel Lapwing Lynx Magpie Meteor Mistral Mustang Osprey
    Otter Pelican Petrel Pioneer Plover Ranger Raven Rover Sprinter Swift Tempest Thrush Voyager Wanderer Zephyr
"""
VEHICLE_LETTERS: Final = "ABCDEFGHJKLMNPRSTVWXZ"
VEHICLE_NUMBERS: Final = range(100, 1000)
VILLAGE: Final = ("{a} {b}", "{a} on {b}", "{a} upon {b}", "{a} by {b}", "{a} under {b}", "{a} le {b}")
VILLAGE_DIRECTED: Final = "Upper Lower Great Little Old New North South East West Over Nether"
NATURAL_PLACE: Final = ("{a} {b}", "{a} over {b}", "{a} above {b}", "{a} below {b}")
NATURAL_PLACE_COLOURED: Final = (
    "Black White Grey Red Green Blue Far Great Little Cold Silver Golden Lone Wild Fair Dark"
)

# Titles by pattern: {w} and {v} are invented words, every other slot one of a list of `TITLE_WORDS`.
TITLES: Final = (
    "A House Above {w} {v}", "Letters to {w} {v}", "Letters from {w} to {v}", "The Road from {w} to {v}",
    "The Road Out of {w} {v}", "Leaving {w} {v}", "A Return to {w} {v}", "{season} in {w} {v}",
    "One {season} at {w} {v}", "The {agent} of {w} {v}", "The {agent}s of {w} {v}", "The {w} {v} Papers",
    "The Bells of {w} {v}", "North of {w} {v}", "Beyond {w} {v}", "Nobody Leaves {w} {v}", "A Stranger in {w} {v}",
    "The Night Ferry from {w} to {v}", "{w} {v} by Night", "Once in {w} {v}", "The {adjective} {thing} of {w}",
    "A {thing} from {w} {v}", "Songs from {w} {v}", "Down the River to {w} {v}", "{number} Days in {w} {v}",
    "Nothing Happens in {w} {v}", "The {agent}’s Return to {w} {v}", "Goodbye to {w} {v}", "The Ghosts of {w} {v}",
    "A Map of {w} {v}", "{weather} over {w} {v}", "What Became of {w} {v}", "The Lights of {w} {v}",
    "{number} Roads to {w} {v}", "The {w} {v} Affair", "My Years in {w} {v}", "Not Far from {w} {v}",
    "The {kin} from {w} {v}", "An Evening in {w} {v}", "Under the Roofs of {w} {v}",
    "The Last of the {agent}s in {w} {v}", "Postcards from {w} {v}", "The {agent}’s {thing} from {w} {v}",
    "The {agent} and the {thing} of {w}", "A {thing} for the {agent} of {w}", "How {w} {v} {did}",
    "{number} {thing}s and the {agent} of {w}", "Behind the {adjective} {thing} of {w}",
    "One {season} of {thing}s in {w} {v}", "The {agent}’s {kin} in {w} {v}", "The {thing} in the {place} at {w} {v}",
    "A Short History of {adjective} {thing}s in {w}", "The House of {number} {thing}s in {w} {v}",
    "All the {agent}’s {thing}s at {w}", "Of {agent}s and {thing}s in {w}", "No {thing} for {w} {v}",
    "Between {w} and {v}", "From {w} to {v} by Sea", "The Slow Train from {w} to {v}", "The Trial of {w} {v}",
    "The Life of {w} {v}", "Looking for {w} {v}", "My {kin} {w} {v}", "The Secret of {w} {v}",
    "The {adjective} {agent} and the {thing} of {w}", "The {kin} with the {adjective} {thing} of {w}",
)  # fmt: skip
TITLE_WORDS: Final[dict[str, str]] = {
    "agent": """
        Baker Banker Barber Beekeeper Blacksmith Boatbuilder Bookbinder Botanist Brewer Bricklayer Broker Bugler
        Burglar Butcher Cabinetmaker Captain Caretaker Carpenter Cartographer Chemist Clockmaker Cobbler Colonel
        Composer Conjurer Cooper Dancer Dentist Deserter Detective Diver Doctor Drover Drummer Falconer Farmer Fiddler
        Forester Forger Gambler Gardener Glassblower Goldsmith Governor Gravedigger Grocer Hunter Hatter Jeweller
        Judge Juggler Lamplighter Landlord Lawyer Librarian Locksmith Lodger Magician Magistrate Mapmaker Mason Mayor
        Miller Miner Navigator Novelist Nurse Painter Pedlar Pianist Pilgrim Pilot Pirate Poet Postmaster Potter
        Printer Professor Puppeteer Sailor Schoolmaster Sculptor Senator Sergeant Shepherd Shipwright Singer Smuggler
        Soldier Stationmaster Stonecutter Stranger Student Surgeon Surveyor Tailor Teacher Thatcher Tinker Translator
        Traveller Trumpeter Vagabond Weaver Wheelwright Widow
    """,
    "thing": """
        Ballroom Barn Barrel Basket Beetle Bell Bicycle Blanket Boat Bowl Bridge Bucket Button Cabin Canal Candle
        Canoe Carousel Carpet Carriage Cello Cellar Chapel Chestnut Clock Coat Coin Corridor Costume Cottage Cradle
        Crown Cup Curtain Doll Donkey Door Drum Falcon Fern Fountain Garden Gate Glove Harbour Hare Hat Heron Horse
        Hotel Jacket Kettle Key Kitchen Kite Ladder Lake Lamp Lantern Letter Lighthouse Locket Loom Mask Meadow Medal
        Mill Mirror Moth Mountain Museum Necklace Needle Notebook Painting Pear Piano Pier Pigeon Plate Plum Poplar
        Portrait Postcard Puppet Quilt Raft Raven Ribbon Ring River Rose Saddle Sparrow Spoon Stable Staircase Stamp
        Statue Stove Suitcase Swallow Swan Teapot Telegram Telescope Theatre Thimble Thistle Tortoise Tower Train Tram
        Trumpet Trunk Tulip Tunnel Valley Viaduct Vineyard Violin Wagon Walnut Waterfall Wheel Willow Window
    """,
    "adjective": """
        Abandoned Best Black Blue Borrowed Broken Buried Crooked Curious Distant Enchanted Faithful Fallen Favourite
        Forbidden Foreign Forgotten Frozen Golden Great Green Grey Haunted Hidden Imaginary Invisible Last Little
        Lonely Lost Midnight Missing Nameless Old Other Painted Perfect Quiet Scarlet Second Secret Seventh Silent
        Silver Stolen Strange Sunday Third Unwanted White Wrong Yellow
    """,
    "season": "Spring Summer Autumn Winter Harvest Carnival Childhood Holiday Honeymoon Midsummer",
    "weather": "Rain Snow Fog Thunder Smoke Starlight Moonlight Frost Dust Silence",
    "number": "Three Four Five Six Seven Nine Ten Twelve Thirteen Forty",
    "kin": "Daughter Sister Brother Cousin Nephew Niece Godmother Grandfather Stepson Uncle",
    "place": "Attic Orchard Hallway Rain Snow Square Fog Dark Moonlight Marsh Ashes Museum Wind Cornfield",
    "did": """
        Never#Slept Came#Home Stayed#Behind Forgot#the#Sea Loved#Snow Missed#the#Boat Knew#Too#Much Walked#Home
        Bought#a#Lake Read#the#Stars Kept#Bees Sold#the#Moon Told#the#Truth Came#Too#Late Collected#Rain
        Spoke#to#Horses Counted#Ships Dreamed#of#Salt Learned#to#Swim Lost#the#Map
    """,
}

# Adjectives and nouns of no name: the keys of needles.
ADJECTIVES: Final = """
    absent aged airy amber ample ancient angry anxious ardent ashen austere awkward azure bare barren bashful belated
    bent bitter blank blazing bleak blessed blind blue blunt bold borrowed bottomless boundless brave brazen
    breathless brief bright brisk brittle broad broken bronze buried burning busy calm careful careless casual
    cautious chalk changing charmed cheerful chilly civil clean clear clever clockwork closed cloudy clumsy coarse
    cobalt cold common complete copper costly counted courteous covered crimson crooked crowded cruel crystal curious
    curved daily dapper daring dark dawning daylight deep defiant delicate dented departed deserted devout discreet
    distant divided double doubtful drifting drowned drowsy dry dusty dutiful eager early earnest earthen easy echoing
    eighth elder electric elegant eleventh eloquent elusive emerald empty enchanted endless enduring engraved enormous
    equal errant eternal exact exiled faded faint fair faithful falling false famous fancy faraway feathered fervent
    festive fickle fierce fifth final fine first flawed fleeting floating flooded foggy folded foolish forbidden
    foreign forgiven forgotten formal fortunate fourth fragile frail frank frantic free freezing frequent fresh
    friendly frosty frozen frugal full furious gallant generous gentle genuine ghostly gifted gilded glad glassy
    gleaming gloomy glowing golden good graceful grand grateful great green grey grim guarded half hallowed handsome
    happy harmless harsh hasty haunted hazy heavy helpful hesitant hidden hollow holy homeless homemade honest hopeful
    hopeless humble hungry hurried hushed icy idle imperfect incomplete indigo infinite inland inner innocent
    invisible inward iron ivory jagged jealous jolly joyful jubilant keen kind kindled languid large last late lavish
    lawful lazy leaden lean learned light limping listening little lively lonely long loose lost loud lovely loyal
    lucid lucky luminous lunar magnetic majestic marble marvellous mellow melting mended merciful merry mighty mild
    misplaced misty modest moonlit mournful moving muddy musical mysterious naive nameless narrow neat nervous new
    ninth noble nocturnal noiseless northern obedient oblique odd old opal open orderly ordinary outer painted pale
    paper parallel patient peaceful pearly pensive perfect perilous perpetual placid plain playful polished polite
    poor precious private promised proper proud prudent purple quaint quarrelsome quick quiet radiant ragged rainy
    rapid rare reckless red reluctant remembered remote restless returning rich ripe roaming rough round rousing royal
    rugged ruined rural rusty sacred sad safe salty sandy scarlet scattered seasoned second secret sensible serene
    seventh severe shallow sharp shattered shining shivering short shy silent silken silver simple sincere single
    sixth sleepless slender slow small smiling smoky smooth snowy sober soft solar solemn solitary sombre southern
    spare speechless splendid spotless stainless starlit starry steadfast steady stern still stolen stormy stout
    strange striped strong stubborn subtle sudden sunken sunlit sunny supple swift tall tame tangled tardy tattered
    tender tenth thankful thirsty thorny threadbare timeless timid tired tranquil transparent trembling tremendous
    troubled true trusted twelfth twisted unbroken uncertain undying unequal uneven unfinished unfolding unknown unlit
    unnamed unquiet unread unseen untold unwritten upright upward useful vacant vague vanished vast veiled velvet
    vibrant violet vivid voiceless wakeful wandering warm watchful watery weary weathered welcome western whispering
    wide wild willing windy wise wistful wooden woven wrinkled wry young zealous
"""

# No noun is the beginning of another one.
NOUNS: Final = """
    abbey acorn acrobat actor admiral alley almanac altar ambassador anchor angel answer antelope anthem apology apple
    apprentice apricot apron aqueduct archer arrival artist astronomer attic aunt autumn avenue badge baker balcony
    ballad balloon bandit banner bargain barge barometer basin basket beacon beekeeper beggar bell bicycle birch
    blacksmith blanket boatman bonfire bookseller boulder boundary bouquet bracelet branch breakfast breeze bride
    bridge broom brother bucket buffalo bugle butcher butterfly button cabin cactus cage calendar camel camera canal
    candle canoe canyon captain caravan carousel carpenter carpet carriage castle cathedral cavern cedar cellar
    chamber chandelier chapel chestnut chimney choir chorus chronicle cinema circus citadel clarinet clearing cliff
    clock cloister cloud clown coachman cobbler coffin comet compass concert conductor conqueror convoy coral corridor
    costume cottage courier courtyard cousin cradle crane crater creek cricket crossing crow curtain cyclist cypress
    dagger dancer daughter daybreak decision deer departure desert desk detective diamond diary dinner disguise ditch
    doctor doll dolphin donkey doorway dove dragon dream drum duel dune dwelling eagle earthquake echo eclipse
    elephant elm embrace emperor encounter engine engraver envelope errand escape estate evening exile expedition
    falcon farewell farmer feast feather fence ferry festival fiddler field fire fisherman flame flood flute folly
    footprint forest forge fortress fountain fox fracture friend frontier frost funeral gallery gambler game garden
    garland gate general ghost giant glacier glade glove goblet gondola gospel governor granary grandmother grave
    guest guitar gull hallway hammer harbour harp harvest hat haven hawk hearth heather heir hermit hero highway hill
    homecoming honeymoon horizon horse hostage hotel hour hunter hurricane hymn iceberg illusion inheritance innkeeper
    invention invitation island jacket jasmine jester jewel jockey journey judge jungle juniper kettle key kingdom
    kitchen kite knight knot laboratory labyrinth ladder lady lagoon lake lamp landscape lantern larch lark laughter
    laundry lawyer legend lemon letter library lighthouse lily lion locket locomotive lodger loom lottery lullaby
    machine magician magnolia mansion maple market marriage mask masquerade meadow melody memory mermaid messenger
    meteor midnight migration miller miner miracle mirror monastery monsoon monument moon morning mosaic mother
    motorway mountain museum musician nightingale nocturne notebook oak oar oasis oath ocean olive opera oracle orange
    orchard orchestra orchid orphan otter owl oyster page palace panther parade paradise parasol parcel passage
    passenger pasture patrol peacock pearl pebble pendulum penny photograph pianist picture pilgrim pillar pilot pine
    pioneer pirate plateau platform plough poet pond poplar porcelain portrait postman potter prairie precipice prince
    prison procession professor promise prophet puppet pyramid quarrel quarry queen question quilt rabbit railway rain
    rampart raven reader reaper rebellion recipe reflection refuge regatta rehearsal reply reunion reward ribbon
    riddle rider ring river road robin rock roof rose rumour runner saddle saint salmon sanctuary sandal sapphire
    satchel sculptor sea sentinel serenade sermon shadow shepherd ship shoemaker shore signal silence sister sketch
    sky sleeper snow soldier solstice sonata song sorrow sparrow spectator spiral spring stable staircase star statue
    stone storm stranger stream street student suitcase summer summit sundial surgeon swallow swan sword symphony
    tailor tapestry teacher telegram telescope temple terrace theatre thicket thief thistle thread throne thunder tide
    tiger toast torch tower train traitor traveller treasure treaty trellis tribute trumpet tunnel turbine tutor
    twilight umbrella uncle uniform vagabond valley vault verandah verdict viaduct vineyard violin visitor volcano
    voyage wagon waiter walnut waltz wanderer wardrobe warning watchman waterfall wave weaver wedding well whale wheel
    whisper widow willow window winter wish witness wolf workshop wreath writer yacht year zenith
"""
