"""Chinese filler prose: sentence templates of the shared scenes and the names of a section; see `english.py`."""

from carrara.world.language.prose_templates import Below
from carrara.world.prose import chinese_words as words

# `# scene`, then `+` sentences that open a paragraph and `-` sentences that continue it.
SCENES = """
# place
+ {P}在{R}的一个弯子里，离下游的{Q}有{num}里地，{H}差不多一直伸到水边。
+ 去{P}的路在{spot}同大路分开，往上走{num}里，才看得见房子。
+ 没有谁会碰巧走到{P}来，因为{spot}那条路只通到这里为止。
+ 从{H}上望下去，{P}就是{few}排不太整齐的屋顶和{many}处炊烟。
+ {P}有{many}户人家，{few}口井，像样的街只有一条。
+ 坐船经过{R}的人，总是先看见{P}的{shed}，然后才看见后面的房子。
- {P}的房子是用{stone}砌的，屋顶盖着{roof}，门大多漆成{colour}色。
- 从{spot}到{P}头一排房子之间全是菜园，园里少不了一棵{tree}和一口水缸。
- {P}的空气里有一股{smell}和{smell}的味道。
- {Q}地方大，还有一座钟，可是论{soil}，还是{P}的好。
- {P}的{side}头住着{group}，另一头住着其余的人。
- 往{Q}去的路上，{spot}有一棵老{tree}，{num}个{group}手拉着手也围不过来。
- 外面的人说{P}人{trait}，{Q}人{trait}，说这话的多半也是他们自己。
- 天好的时候，站在{spot}可以望见{many}里外{Q}的屋顶。
- 到了{season}，{birds}落在{spot}，{P}的人便拿它当历书看。
- {P}要用的东西大半自己做，只有{goods}和{goods}要从{Q}用船运来。
- {P}的钟裂了一道缝，声音只传得到{spot}，大家都觉得够远了。
- 外乡人到了{P}，就住在{shed}的阁楼上，那里有{smell}的气味，床只有{few}块木板宽。

# person_a
+ {Af}在{P}当{Arole}，已经当了{many}年，还打算再当{num}年。
+ {P}没有人不认识{Arole}{Af}，这人{habit}。
+ 这一行在{P}由{Af}撑着，是个又{trait}又{trait}的{Arole}。
+ {Af}出身{Arole}世家，生性{trait}，{habit}。

# person_b
+ 隔{num}家住着{Brole}{Bf}，{habit}。
+ 同住一个院子的是{Brole}{Bf}，{bhis}{elder}从前也是{P}的名人。
+ 最近的邻居是{Brole}{Bf}，在人前{trait}，在家里{trait}。
+ 发大水那年，{Bf}来{P}做{Brole}，后来就没有再走。

# person_c
+ 另外还有{Q}的{Crole}{Cf}，{habit}。
+ {Crole}{Cf}每隔{num}天从{Q}过来一趟，带些{goods}，也带些闲话。
+ 想听第三种说法，可以去问{Crole}{Cf}，这人{habit}。

# people
- ~{A}为人{trait}，又很{trait}，照{folk}的说法，是不大会吃惊的。
- {A}{habit}，看不出{folk}为什么要觉得奇怪。
- 年轻的时候，{An}在{Q}待过{num}个{season}，天天{do}。
- {An}和{Bn}为了{subject}争了{many}年，两个人都乐此不疲。
- 说起自家的{kin}，{A}只讲一句：好{goods}和好脾气难得碰到一起。
- {B}比谁都{trait}，而且{habit}。
- ~{B}只要听见{sound}，就知道{spot}今天是什么天气。
- {Cn}一谈起{subject}，{folk}就把凳子往前挪。
- {A}有{item}、{num}床棉被，还有{shed}的一份股，觉得这就够了。
- {P}的孩子都记得{Bn}教的那句话：{saying}。
- 人家都说，{An}宁可去{do}，也不肯坐着听人讲{subject}。
- {Cn}和{Bn}算是远亲，不过{folk}曾经另有一种算法。

# weather
+ 那年{season}，天气一直叫{P}的人猜不透。
+ {time}，风转到了{side}面，{growth}。
+ {P}的{season}来得有些突然，{light}照着{spot}，隔{num}天就有{rain}。
+ {H}上的云停了{num}天没有动，{P}的人天天抬头看。
+ 那年{P}的{season}来得早，{growth}，比往年提前了{num}天。
- {growth}，{birds}一直飞到了{spot}。
- {spot}那边有{light}，{sound}听起来近得很。
- ~{P}那段{R}，{num}天里涨了{num}寸。
- {A}看了看{spot}那边的天，说雨下不来，又回去{do}了。
- {P}的老人拿它同发大水那年的{season}相比，说来说去没有定论，最后谈起了{subject}。
- {rain}从{H}那边过来，{spot}的人一会儿就走空了。
- ~{birds}在{spot}停成一排，叽叽喳喳地议论。
- {rain}过后，整个{P}都是{smell}和{smell}的味道。
- {B}把{produce2}晾在{spot}，这时只好跑着去收。
- {spot}的水洼过了{num}天才干，{animal}常到那里去喝水。
- 第{nth}天早上，{Bn}被一片寂静惊醒：连{R}的水声也听不见了，{growth}。
- 一连{num}天，{P}的人谁也不肯走到比{spot}更远的地方去。
- {folk}淋得透湿，进门讨一碗{drink}，别的不说，只说{subject}。
- 到了中午，{light}落在{shed}的屋顶上，{P}的人又都出了门。
- “要是到{spell}完了还这样，”{Bn}说，“我就只好打着灯笼{do}了。”

# talk
+ 为了{subject}，大家起了一点小小的争执。
+ {time}，{P}的人聚在一起商量一件拖了{num}年的事，就是{subject}。
+ 那年{season}，{Bn}和{Cn}为{subject}闹翻了。
+ 事情的起头是{trouble}，在{P}，这类事多半都是这样开始的。
+ {P}和{Q}为{spot}争了{many}年，至今争得有滋有味。
- “我{do}已经{many}年了，”{Bn}说，“还没听过这样的话。”
- “说到{subject}，也许你有理，”{An}说，“不过今天先不谈。”
- {Cn}认为这件事{verdict}，{Bn}却认为{verdict}。
- {A}说要想{num}天，结果那些天都用来{do}了。
- ~{group}站在一边，{group}站在另一边，{folk}在旁边记着。
- “在我们{Q}，”{Cn}说，“人人都知道{saying}。”
- 最后{folk}提议把费用分作{num}份，{Q}出最小的一份。
- {B}搬出{item}来作证，大家半天没有出声。
- ~账房{manner}全记了下来，只是把{Q}两个字写错了。
- “那就问{Cn}吧，”有人在{spot}喊，“反正{subject}跟{Q}人不相干。”
- {when}，{An}和{Bn}在{spot}握了手。
- 说定了：{spot}在{season}归{P}用，其余的日子归{Q}用。
- 谁也没有赔不是，可是过了{num}天，{Bn}叫人送来了{food}和一壶{drink}。
- “{saying}，”{An}说完这句，事情就算过去了。
- ~{folk}在{spot}从头听到尾，觉得整件事{verdict}。
- “是谁把{item}放在{spot}的？”{An}问，{num}个{group}都低头看自己的鞋。

# past
+ {B}爱讲{many}年前的光景。
+ {An}的{elder}在世的时候，这些都还没有。
+ {P}的村志有{many}年了，第一页写的是{trouble}。
+ 说起发大水那年，{P}的人各有各的讲法。
+ {A}也曾经想过要离开{P}，再也不回来。
- ~那时候还有摆渡，一个{who}在{spot}{manner}收船钱。
- 那年头从{Q}来一封信要走{num}天，还得指望{folk}别把它弄丢。
- {An}的{elder}扛着{item}走到{Q}，回来的时候赶着{num}头{cattle}。
- 那一年{R}的水一直漫到{spot}，{P}有{num}个星期全靠船送粮。
- ~有{num}个{Q}的{group}花了整整一个{season}{do}，工钱是拿{food}抵的。
- 老{shed}失火的那天夜里，{folk}从{spot}赶来帮忙。
- 烧剩下的只有{item}，{B}是从{bhis}{elder}手里接过来的。
- {A}还记得{smell}和{smell}的气味，记得一个爱唱歌的{trait}的{who}。
- {num2}岁那年，{An}被送到{Q}，跟一个{trait}的{who}学手艺。
- ~从那以后年轻人都不来了，直到{folk}把{shed}重新开了张。
- 这件事{B}是听{bhis}{elder}说的，老人家又是在{spot}听一个{who}说的。
- “逢年过节我们吃{food}，”{Bn}说，“平常日子就吃{food}。”
- 上街那{many}户人家，有{num}户搬到了{Q}，剩下的学会了没有{goods}也过日子。
- ~那时候的人成家晚，话也少，凑到一起只谈{subject}。

# home
+ 不管什么季节，{An}家总是天擦黑就吃晚饭。
+ {An}家只有灶间是暖和的，一进门就闻见{food}和{smell}的味道。
+ {often}，{An}独自坐在朝着{spot}的窗前吃饭。
+ 在{P}，{Bn}家的饭菜算是讲究的。
+ {time}，{An}家来了客人。
- {An}端上来的是{food}和{produce}，饭后用{num}只不成套的杯子喝{drink}。
- {animal}趴在{Bn}的桌子底下，听着{sound}。
- ~{A}念了一个钟头的书，讲的是{subject}，{Bn}听着听着睡着了。
- 墙上挂着一幅{spot}的旧画，画的还是{trouble}以前的样子。
- “再添一勺吧，”{Bn}说，“添完了给我们讲讲{subject}。”
- {A}洗碗，{Bn}擦碗，两个人小声争着{subject}。
- ~{P}人生火用的是松枝，烧得慢，屋里有{smell}和{smell}的气味。
- 窗台上点着一盏灯，是给{folk}留的，免得从{spot}过来时摸黑。
- 做{food}的法子是{An}的{elder}从{Q}带来的，从来没有写在纸上。
- {A}在火边修补{item}，外头{sound}一直没有停。
- {when}，最后一点{drink}也倒完了。
- 从里屋望出去，看得见{spot}，天好的时候还看得见{Q}的灯火。
- ~锅里总留着一点{food}，那是给{folk}的。
- {B}用布包着{produce}送来，怎么也不肯再带回去。
- 临睡前{An}试了试门闩，朝{spot}望了一眼，把{item}挪到墙边。

# walk
+ 从{P}到{Q}，路上不停下来说话的话，要走{num}个钟头。
+ {time}，{An}带上{food}，动身去{Q}。
+ {R}上游的小路数{Bn}最熟，到{Q}走一趟从来不问路。
+ 翻过{H}有{few}条路，{An}喜欢最远的那一条。
- 头一里路经过{spot}和{spot}，{folk}正在那里{do}。
- 过了{spot}，路越走越窄，{growth}。
- 到了{H}顶上，{An}在一截矮墙上坐下，吃了些{food}和{produce}。
- 一个{who}赶着{num}头{cattle}从对面过来，打听{subject}。
- {R}上的桥只有{few}块木板宽，其中一块是{folk}新换上的。
- ~{spot}的路牌上写着离{Q}还有{num}里，谁也没有去量过。
- 往{Q}走了一个钟头，只听见{sound}，偶尔还有{sound}。
- {birds}从{spot}一齐飞起来，隔着{num}块田又落了下去。
- ~快到{Q}的地方有间草屋，可以躲过{rain}，同{folk}说说话。
- {A}在{spot}拣了一块石头，走了{num}里，把它搁在{Q}的一根门柱上。
- 回来的路上{An}碰见{folk}，把剩下的{food}都送了出去。
- ~看见{P}的屋顶时天已经黑了，全凭{sound}才从{spot}摸了回来。
- 一条干沟、一道旧栅栏和{num}棵{tree}，就是{P}和{Q}的分界。

# yard
+ {An}家屋后有个院子，院里一口压水井，一垛柴，{num}只鸡。
+ {An}有一块菜园，一直连到{spot}。
+ {time}，{Bn}隔着篱笆往{An}的院子里张望。
+ {P}的牲口各有各的脾气。
- ~{A}种了{num}垄{veg}，墙根下还种了{flower2}。
- {animal}从{spot}钻了进来，在{An}的{flower2}丛里睡着了。
- ~{B}靠着篱笆，说了一阵{subject}，带了些{produce}回去。
- {An}家的母鸡爱把蛋下在哪里就下在哪里，有一回下在{cart}上，有一回下在{spot}。
- 有{num}头{cattle}其实是{folk}的，只是寄在这里养膘。
- 发大水那年，{An}在院门边栽了一棵{tree}，如今半个院子都在荫凉里。
- {tree}旁边立着一个穿{An}旧衣裳的草人，除了{folk}，谁也没有给它吓着。
- “又有谁动过我的{produce}了，”{An}盯着{animal}说。
- {P}的人都记得，院里那口井有{many}尺深，{num}年里只干过一回。
- ~{A}在{spot}烧剪下来的枯枝，{folk}给烟呛得早早回了家。
- {Cn}从{Q}带来的那只鹅，追着{folk}一直追到{spot}。
- ~绳子上晾着{An}的{num}床被单，墙外传来{sound}。

# detail
- {sound}从{spot}传过来，停了一下，隔着{num}块田又响了。
- ~{animal}{gait}穿过{shed}的院子，往{spot}去了。
- {spot}那边有{sound}，底下还衬着{sound}。
- ~{folk}歇在{spot}，正在{do}。
- {P}的{shed}里，{smell}和{smell}的气味过了{num}天才散。
- {spot}放着{item}，{P}没有人说得出是谁的。
- “{saying}，”{folk}说。
- {birds}又找到了{spot}，{growth}。
- ~{folk}赶着{cart3}过去了，后面跟着一条狗。
- {B}拿着一点{food}路过，说了两句{subject}，又往{spot}去了。
- ~{light}落在{spot}，也落在{shed}的{side}墙上。
- 直到今天，{P}的人还说：{saying}。
- {Cn}的看法是，{saying}。
- ~一个{Q}来的孩子坐在{spot}吃{food}。
- {often}，总能在{spot}看见{Bn}，不是在{do}，就是在等人。
- ~{shed}的门没有关，{animal}正朝{spot}张望。
- 这时候，{spot}的闲谈已经转到了{subject}上头。
- {B}另外还有事要操心，比如{trouble}。

# closing
+ {P}的{season}就这样一天天过去了。
+ {time}，事情都做完了，{P}的人可以想点别的了。
+ {time}，{P}的情形就是这样。
+ 回头想想，{Bn}觉得对{P}来说这是个好年景。
- {A}把{item}放回门边，朝{spot}站了一会儿。
- ~{P}的灯一盏接一盏亮起来，{num}盏在{R}边，其余的都在{H}脚下。
- {shed}上了锁，{animals}喂过了，{folk}也从{spot}那边回家了。
- “看看下一个{season}怎么样吧，”{An}说完，进屋去吃{food}、喝{drink}了。
- ~{B}陪着{folk}走到{spot}，一个人走了回来。
- {subject}到底没有议出个结果，不过{P}谁也没有为它睡不着觉。
- ~{sound}在{spot}又响了一阵，后来就只剩下{R}的水声。
- 在{Q}，一个{who}和{num}个{group}已经把这件事讲成了另一个样子。
- {A}睡了{num}个钟头，醒来听见{sound}，看见{light}。
- 明天{Bn}还要{do}，后天还要{do}。
- {spot}那边有{light}，{growth}。
"""

GIVEN_NAMES = len(words.SURNAMES) * len(words.GIVEN_FIRST) * len(words.GIVEN_SECOND)
PLACE_NAMES = len(words.PLACE_FIRST) * len(words.PLACE_SECOND) * len(words.PLACE_ENDS)


def person_name(number: int) -> str:
    """Name `number` of GIVEN_NAMES: surname and two characters."""
    rest, second = divmod(number, len(words.GIVEN_SECOND))
    surname, first = divmod(rest, len(words.GIVEN_FIRST))
    return words.SURNAMES[surname] + words.GIVEN_FIRST[first] + words.GIVEN_SECOND[second]


def place_name(number: int) -> str:
    """Name `number` of PLACE_NAMES."""
    rest, end = divmod(number, len(words.PLACE_ENDS))
    first, second = divmod(rest, len(words.PLACE_SECOND))
    return words.PLACE_FIRST[first] + words.PLACE_SECOND[second] + words.PLACE_ENDS[end]


def person(number: int, role: str, letter: str, below: Below) -> dict[str, str]:
    """The slots of person `letter`, whose name has the number `number`."""
    pronoun = ("她", "他")[below(2)]
    name = person_name(number)
    title = "先生" if role in words.SCHOLARS else "师傅"
    small = {"A": "", "B": "b", "C": "c"}[letter]
    return {
        f"{letter}n": name,
        f"{letter}f": name,
        f"{letter}r": name[0] + title,
        f"{letter}role": role,
        f"{small}he": pronoun,
        f"{small}his": pronoun,
        f"{small}him": pronoun,
    }


def river_and_hill(below: Below) -> tuple[str, str]:
    """A river's and a hill's name: not unique, there are only some thousands."""
    stems = [
        words.PLACE_FIRST[below(len(words.PLACE_FIRST))] + words.PLACE_SECOND[below(len(words.PLACE_SECOND))]
        for _ in range(2)
    ]
    return (
        stems[0] + words.RIVER_ENDS[below(len(words.RIVER_ENDS))],
        stems[1] + words.HILL_ENDS[below(len(words.HILL_ENDS))],
    )
