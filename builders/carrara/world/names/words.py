"""Word material of the invented names: letters, endings, and the English words of titles and of kinds of names.

`names.py` says how it is put together. Every release that names entities pins this file: an edit moves all names of
all worlds, and the golden names of the tests with it.
"""

from typing import Final, Literal

# A set of invented words is told by its endings; no word belongs to two sets.
WordSet = Literal["male", "female", "surname", "place", "firm", "realm", "genus", "epithet", "title", "coin"]

# Letters by place, of words of three and of four vowels. Chosen so that no joint spells an obscenity (hence no c, no
# lone t, k or g within the short shape) and that few ordinary words can be spelled. No onset belongs to both shapes.
ONSETS: Final = "b br d dr fl fr g gr h j k kr p pr sk sm st t th tr v vr z kl pl gl bl"
VOWELS: Final = "a e i o u ai au ei"
INNER: Final = "d l m r v z gr ld lk lm lt lv mb nd nt rg rl rv sk sm st vr zd br dr gl"
SHORT_VOWELS: Final = "a e i o u"
LAST: Final = "b d f j l m n r s v z ld lm mb nd rn st"
# A word of the long shape may also begin with its first vowel.
LONG_ONSETS: Final = "l m n r w"
LONG_INNER: Final = "d k l m r s t v"
LONG_LAST: Final = "b d l m r v"
LONG_VOWELS: Final = "a e i o"

# No ending is the beginning of another one, in the same set or elsewhere.
ENDINGS: Final[dict[WordSet, str]] = {
    "male": "ek orn und ulf ask okar adur emir olt auk umon aric ivok",
    "female": "ilde enne iva uda eska ora elys ume oya inde elin isse ossa",
    "surname": "end esh isk ovar umar olin adok uth arow edge ombe iver owan",
    "place": "eth omer olm ansk unst ivik elow arra osk imor umby egar olby",
    "firm": "egen oxor oril evin olis ubal inox oyne oste orde ulen ewin omun",
    "realm": "avia ovia adia ubra ella onde omia enia uria othe esia aria ilun",
    "genus": "opsis odon aster eus odes ema oxys ula antha idium ocera axis ophis",
    "epithet": "ensis oides ifera osum atum icola idula inum ivora arius oceum ubrum ilis",
    "title": "iel anor arin ovel umir ineth ulon osind ewen urien ador elune orel",
    "coin": "ulk elt imbe arki omet unk obal uvia ebor ixen ewol arun ozel",
}

# In these forms {a} and {b} are invented words. Which form a name has depends on {a} alone.
COMPANY: Final = (
    "{a} & {b}", "{a} {b} Works", "{a} {b} Company", "{a} & {b} Partners", "{a} {b} Group", "{a} {b} Brothers",
    "{a} & {b} Limited", "{a} {b} Holdings", "{a} {b} Enterprises", "{a} & {b} Associates",
)  # fmt: skip
SCHOOL: Final = (
    "{a} {b} College", "{a} {b} Academy", "{a} {b} Institute", "{a} {b} School", "{a} {b} University",
    "{a} and {b} College", "{a} {b} Lyceum", "University of {a} {b}", "Institute of {a} {b}", "{a} {b} Polytechnic",
)  # fmt: skip
BUILDING: Final = (
    "{a} {b} House", "{a} {b} Building", "{a} and {b} House", "{a} {b} Place", "House of {a} {b}", "{a} {b} Court",
    "Old {a} {b} House", "{a} {b} Rooms", "New {a} {b} Building", "{a} {b} Yard",
)  # fmt: skip
VEHICLE: Final = (
    *["{a} {b}"] * 84,
    *(f"{{a}} {{b}} {letter}{digit}" for letter in "ABCDEFGHJKLMNPRSTVWXZ" for digit in (2, 3, 4, 5, 6, 7, 8, 9)),
)
VILLAGE: Final = (
    "{a} on {b}", "{a} by {b}", "{a} under {b}", "{a} near {b}", "{a} in {b}", "Upper {a} on {b}", "Lower {a} by {b}",
    "Great {a} in {b}", "Little {a} near {b}", "Old {a} under {b}", "{a} beside {b}", "{a} over {b}",
)  # fmt: skip
NATURAL_PLACE: Final = ("{a} {b}",)
SPECIES: Final = ("{a} {b}",)

# In a title {w} is an invented word, {adjective} and {noun} are of the lists below.
TITLES: Final = (
    "The {adjective} {noun} of {w}",
    "Beyond the {adjective} {noun} of {w}",
    "One {adjective} {noun} for {w}",
    "No {adjective} {noun} in {w}",
    "{w} and the {adjective} {noun}",
    "{w} Under the {adjective} {noun}",
    "Every {adjective} {noun} in {w}",
    "My {adjective} {noun} from {w}",
    "The {adjective} {noun} at {w}",
    "Waiting for the {adjective} {noun} of {w}",
    "{w} Without the {adjective} {noun}",
    "Another {adjective} {noun} for {w}",
)

ADJECTIVES: Final = """
    absent aged airy amber ample ancient angry anxious ardent ashen austere awkward azure bare barren bashful belated
    bent bitter blank blazing bleak blessed blind blue blunt bold borrowed bottomless boundless brave brazen breathless
    brief bright brisk brittle broad broken bronze buried burning busy calm careful careless casual cautious chalk
    changing charmed cheerful chilly civil clean clear clever clockwork closed cloudy clumsy coarse cobalt cold common
    complete copper costly counted courteous covered crimson crooked crowded cruel crystal curious curved daily dapper
    daring dark dawning daylight deep defiant delicate dented departed deserted devout discreet distant divided double
    doubtful drifting drowned drowsy dry dusty dutiful eager early earnest earthen easy echoing eighth elder electric
    elegant eleventh eloquent elusive emerald empty enchanted endless enduring engraved enormous equal errant eternal
    exact exiled faded faint fair faithful falling false famous fancy faraway feathered fervent festive fickle fierce
    fifth final fine first flawed fleeting floating flooded foggy folded foolish forbidden foreign forgiven forgotten
    formal fortunate fourth fragile frail frank frantic free freezing frequent fresh friendly frosty frozen frugal full
    furious gallant generous gentle genuine ghostly gifted gilded glad glassy gleaming gloomy glowing golden good
    graceful grand grateful great green grey grim guarded half hallowed handsome happy harmless harsh hasty haunted hazy
    heavy helpful hesitant hidden hollow holy homeless homemade honest hopeful hopeless humble hungry hurried hushed icy
    idle imperfect incomplete indigo infinite inland inner innocent invisible inward iron ivory jagged jealous jolly
    joyful jubilant keen kind kindled languid large last late lavish lawful lazy leaden lean learned light limping
    listening little lively lonely long loose lost loud lovely loyal lucid lucky luminous lunar magnetic majestic marble
    marvellous mellow melting mended merciful merry mighty mild misplaced misty modest moonlit mournful moving muddy
    musical mysterious naive nameless narrow neat nervous new ninth noble nocturnal noiseless northern obedient oblique
    odd old opal open orderly ordinary outer painted pale paper parallel patient peaceful pearly pensive perfect
    perilous perpetual placid plain playful polished polite poor precious private promised proper proud prudent purple
    quaint quarrelsome quick quiet radiant ragged rainy rapid rare reckless red reluctant remembered remote restless
    returning rich ripe roaming rough round rousing royal rugged ruined rural rusty sacred sad safe salty sandy scarlet
    scattered seasoned second secret sensible serene seventh severe shallow sharp shattered shining shivering short shy
    silent silken silver simple sincere single sixth sleepless slender slow small smiling smoky smooth snowy sober soft
    solar solemn solitary sombre southern spare speechless splendid spotless stainless starlit starry steadfast steady
    stern still stolen stormy stout strange striped strong stubborn subtle sudden sunken sunlit sunny supple swift tall
    tame tangled tardy tattered tender tenth thankful thirsty thorny threadbare timeless timid tired tranquil
    transparent trembling tremendous troubled true trusted twelfth twisted unbroken uncertain undying unequal uneven
    unfinished unfolding unknown unlit unnamed unquiet unread unseen untold unwritten upright upward useful vacant vague
    vanished vast veiled velvet vibrant violet vivid voiceless wakeful wandering warm watchful watery weary weathered
    welcome western whispering wide wild willing windy wise wistful wooden woven wrinkled wry young zealous
"""

# No noun is the beginning of another one: some titles end with it.
NOUNS: Final = """
    abbey acorn acrobat actor admiral alley almanac altar ambassador anchor angel answer antelope anthem apology
    apple apprentice apricot apron aqueduct archer arrival artist astronomer attic aunt autumn avenue badge baker
    balcony ballad balloon bandit banner bargain barge barometer basin basket beacon beekeeper beggar bell bicycle birch
    blacksmith blanket boatman bonfire bookseller boulder boundary bouquet bracelet branch breakfast breeze bride bridge
    broom brother bucket buffalo bugle butcher butterfly button cabin cactus cage calendar camel camera canal candle
    canoe canyon captain caravan carousel carpenter carpet carriage castle cathedral cavern cedar cellar chamber
    chandelier chapel chestnut chimney choir chorus chronicle cinema circus citadel clarinet clearing cliff clock
    cloister cloud clown coachman cobbler coffin comet compass concert conductor conqueror convoy coral corridor costume
    cottage courier courtyard cousin cradle crane crater creek cricket crossing crow curtain cyclist cypress dagger
    dancer daughter daybreak decision deer departure desert desk detective diamond diary dinner disguise ditch doctor
    doll dolphin donkey doorway dove dragon dream drum duel dune dwelling eagle earthquake echo eclipse elephant elm
    embrace emperor encounter engine engraver envelope errand escape estate evening exile expedition falcon farewell
    farmer feast feather fence ferry festival fiddler field fire fisherman flame flood flute folly footprint forest
    forge fortress fountain fox fracture friend frontier frost funeral gallery gambler game garden garland gate general
    ghost giant glacier glade glove goblet gondola gospel governor granary grandmother grave guest guitar gull hallway
    hammer harbour harp harvest hat haven hawk hearth heather heir hermit hero highway hill homecoming honeymoon horizon
    horse hostage hotel hour hunter hurricane hymn iceberg illusion inheritance innkeeper invention invitation island
    jacket jasmine jester jewel jockey journey judge jungle juniper kettle key kingdom kitchen kite knight knot
    laboratory labyrinth ladder lady lagoon lake lamp landscape lantern larch lark laughter laundry lawyer legend lemon
    letter library lighthouse lily lion locket locomotive lodger loom lottery lullaby machine magician magnolia mansion
    maple market marriage mask masquerade meadow melody memory mermaid messenger meteor midnight migration miller miner
    miracle mirror monastery monsoon monument moon morning mosaic mother motorway mountain museum musician nightingale
    nocturne notebook oak oar oasis oath ocean olive opera oracle orange orchard orchestra orchid orphan otter owl
    oyster page palace panther parade paradise parasol parcel passage passenger pasture patrol peacock pearl pebble
    pendulum penny photograph pianist picture pilgrim pillar pilot pine pioneer pirate plateau platform plough poet pond
    poplar porcelain portrait postman potter prairie precipice prince prison procession professor promise prophet puppet
    pyramid quarrel quarry queen question quilt rabbit railway rain rampart raven reader reaper rebellion recipe
    reflection refuge regatta rehearsal reply reunion reward ribbon riddle rider ring river road robin rock roof rose
    rumour runner saddle saint salmon sanctuary sandal sapphire satchel sculptor sea sentinel serenade sermon shadow
    shepherd ship shoemaker shore signal silence sister sketch sky sleeper snow soldier solstice sonata song sorrow
    sparrow spectator spiral spring stable staircase star statue stone storm stranger stream street student suitcase
    summer summit sundial surgeon swallow swan sword symphony tailor tapestry teacher telegram telescope temple terrace
    theatre thicket thief thistle thread throne thunder tide tiger toast torch tower train traitor traveller treasure
    treaty trellis tribute trumpet tunnel turbine tutor twilight umbrella uncle uniform vagabond valley vault verandah
    verdict viaduct vineyard violin visitor volcano voyage wagon waiter walnut waltz wanderer wardrobe warning
    watchman waterfall wave weaver wedding well whale wheel whisper widow willow window winter wish witness wolf
    workshop wreath writer yacht year zenith
"""

# Chinese names. No character of these stands in any Chinese wording of the world, so that a name can be told from the
# text around it by its characters alone. Persons begin with one of the first, none of which is a surname.
FIRST_CHARACTERS: Final = (
    "芷茉荇荞莺菀萱蓁蓥蕤薰蘅岫峤嵋嵘嶷沅沭泖泫洄浃浏涔浠淅淙湫溆滟漭潋潺濂濡瀛灏姝娈娴婕媛纾绮缇缬玎珂珑珥珧琛琦琮"
    "瑁瑭璁璎璞瓒杪枰柁柘栎桁桉桦梓棹椴楸榉榧樨檑昀昱昶晖晡暾曜炜烨煊熠砥碣笃筱箬篌翎翡翮雩霆霏鸢鹂鹜鹣鸬钺铮镱嫦娑"
    "姹沔渌潲焘瑛玳玺菖葭蒗蓐薤芪苡茱荪莜菽岙峥崂嶂沆洵涞渥滢瀣绨缂缟杳枇栊柽桴棰楝榈槎樗橘檐暹侬佼侑僖弈恂懿皓睿稷"
    "窈聿虔赉迤遒郢隽韬骁骊骞骥麾黼佚俅傥唏嘤垌堙墉孚宕"
)
OTHER_CHARACTERS: Final = (
    "岑溥澹琚璩晁竺潇晏羿嵇泠濮翦谌郦鄢闵阙冼奕宓恽扈斐毓睢贲邰郄郇郏郜雒苋茗荟荃茯莳莼菡菁葳蓓蔻蕖蕙薷藁蘼岚岱崧崦"
    "嵊嵩嵬汨沣沩泓泗泸浔洙洮浈浒浯浜浣渚渑湄湎湟溱溧漪漕潆潼澍澧濠濯瀚瀹妍妤娆娉娓婀婧婵嫣绡绫缃缜缦缭玑玢珏珞珈珩"
    "琊琏琥琨琬琰瑜瑗瑾璇璋璐璨璧杓枋枥枳柃柚栉栩栲桀桕桢桤梵棣椋楂楠楹榕榛槿樾橹檗昕昙昴晔晗晟暄暌曛炀炅炫焓焱煜熹"
    "燠硎磬笙筠筝箐篁簌翊翕翥翩翳雯霁霈霭霰鸾鹄鹇鹞鹭鹳钰铄铎镝鑫嫘娣妩姗汴洹浍渲晷煦羲瑕珀玮珉珙萼葩葆蒹蘖薏芩芗芫"
    "苓茴荻莛菘菰萸岵峋崆崤嵝嶙泾洌浼涠淇溟漩澶绛绶绺缈缱缵杷枞枸栌桧桫棂椐椟楫榭槊槟樘樵檎檠曦昃俪偕佶俨倜儇恺怿愫"
    "戬牖皎祺禧稔窕聆胤诩谧轶逦遐邈醴闳鞅飒馥骅骐骓骢麒麟黛鼐亳佾偌偬勐喟嗥圳埕埙墀妫妲孛宥宸寰尕屐峒嵯巽帷幔庠庥廪"
    "徉徕徜徭悌悱惬惘愠慊抟揆揄撷斓旎旌旖旒欤歆氤氲牍牦犍狍狩猃猗猊甬畲畹疃皙眄睇矜祉祗禳秣穑穰笏箴粼粲耦舳舴舸艄艨"
    "艟衮衾袂褰觞訇谖谟谡豳貂赓跹踯蹁轼辇逑逵邂邃郫鄄鄞鄣鄱酃酎酡醪阆阖陂陔陬隰雎雠靓鞒鞯韪韫飨饴驷驺鲂鲈鲲麝黟鼙"
)
