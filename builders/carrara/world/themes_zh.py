"""Chinese filler prose: the sentence templates of the themes; `prose_en.py` explains the slots."""

# `# theme`, its roles, seasons and titles, then `+` sentences that open a paragraph, `-` sentences that continue it.
THEMES = """
# mill
roles: 磨坊主 / 磨匠
seasons: any
titles: {P}的磨坊 / {An}与水磨 / {P}的面粉 / {P}的水轮
+ {P}的磨坊在{R}边，离{spot}不远，上下共{few}层。
+ {time}，磨坊的{millpart}又出了毛病。
+ {An}常说，磨坊是永远修不完的。
+ {many}户人家都把{grain}送到{P}的磨坊来。
- {A}{manner}拆下{millpart}，把零件一样样排在{spot}。
- ~{millpart}还是{An}的{elder}修过的，看得出用的是{item}上的旧料。
- 那年{season}从{Q}运来的{grain}是潮的，只好在{shed}里摊开晾了{num}天。
- ~{Q}来的庄稼人挑着{grain}等在{spot}，一边等一边谈{subject}。
- {B}举着灯，{An}往{millpart}上抹油，两个人说着{subject}。
- {when}，{folk}各买了一袋面，细的归自己，粗的喂{animals}。
- {R}水浅的时候，水轮一分钟只转{num}圈，{An}便又去{do}了。
- 白粉一直飘到{spot}，连{animal}看上去也老了{num}岁。
- ~{when}，用{spot}那棵{tree}的木头新削了一个木齿。
- “先磨{grain}，再磨{grain}，”{An}说，“谁也不许碰{millpart}。”
- 站在磨坊顶层，{Bn}看得见{spot}，也数得清从{Q}来的车。
- 磨面的工钱是{many}升里取一升，{folk}拿{goods}来抵。
- ~磨盘每隔{num}个月凿一次，一凿就是{num}天，{folk}的手都凿青了。

# boats
roles: 船匠 / 船老大 / 摆渡人
seasons: 春 / 夏 / 秋
titles: {P}的船 / {P}的码头 / {An}造船记 / {P}的渡口
+ {P}的船坞里总停着一条没有完工的船。
+ {time}，{An}开始给{folk}造一条船。
+ {P}的船都造得宽，因为{spot}往下水浅，{P}人早就摸清了。
+ 渡船每天要从{spot}过{R}{num}趟。
- {A}顺着{boatpart}摸过去，摸到了进水的地方，就在{num}寸高的一块旧补丁下面。
- {when}，船板用热汽蒸弯了，用的是{timber}。
- ~{folk}把船从{Q}拉上来，舱里已经积了{num}寸水。
- {B}给{boatpart}削了新木钉，{num}根{timber}的，{num}根{timber}的。
- 船要翻过身来，得{num}个{Q}的{group}一齐使劲，偏偏{animal}还来挡路。
- 缝里塞了麻絮，涂上桐油，从船坞到{spot}都是{smell}和{smell}的味道。
- ~{when}，一船{goods}开往{Q}去了。
- 过了{spot}水流就急，{An}撑着一根{worn2}竹篙，嘴里还说着{subject}。
- “浮是浮得起来，”{An}说，“可是装上{num}头{cattle}我就不敢说了。”
- 坐船的人付钱，也有拿{produce}抵的，只有{group}讲一段{subject}就算数。
- ~{birds}跟着船，从{spot}一直飞到{spot}。
- {B}把{boatpart}漆成{colour}色，{folk}看了也要漆成一样的。
- 水退的时候，一条旧船的骨架露在{spot}，{Q}的孩子爬上爬下。

# orchard
roles: 果农 / 看园人 / 酿酒人
seasons: 秋
titles: {P}的果园 / {P}的好年成 / {An}的果树 / {P}的秋果
+ {P}的果园从{spot}起头，一直种到{R}边。
+ {time}，头一批{apple}摘下来了。
+ 那年秋天，{P}的果树结得比{many}年来哪一年都多。
- {A}把梯子靠在{spot}，摘{apple}一直摘到{folk}喊停。
- ~{when}，{apple}摊在{shed}的稻草上，一个也不挨着另一个。
- 落在地上的喂{animals}，剩下的就归{folk}。
- {B}光凭嘴尝就分得出{many}种果子，其中{apple}和{apple}只有{spot}才有。
- 榨机放在{P}的{shed}里，平常由{num}个{group}推，忙的时候再添{few}头{cattle}。
- ~{spot}到处是马蜂，不到中午，{folk}已经挨了{num}下。
- 从{Q}剪来的枝条，接在{trait}的邻居那棵树上，第{nth}年结了{num}个{apple}。
- “这些过不了冬，”{An}翻着{apple}说，“那些放到开春也不会坏。”
- {when}，榨出来的汁又浓又甜，{sound}都给榨机的响声盖住了。
- ~留出{num}筐{apple}给{folk}，当初借过人家{item}。
- {spot}最老的那棵树下，不知谁落下了{item}和一点{food}。
- {when}，{An}给树干刷上石灰，刷到{animal}够不着的高处。
- {Q}的价钱不好，{P}的{apple}便切成片，晒干了用绳子串着挂在{shed}里。

# bees
roles: 养蜂人 / 蜡烛匠 / 花匠
seasons: 春 / 夏
titles: {P}的蜜蜂 / {An}的蜂箱 / {P}的蜜 / {P}分蜂记
+ {spot}附近的坡地里摆着{An}的{many}只蜂箱。
+ {time}，一群蜜蜂从{P}的屋顶上飞过。
+ {P}的蜜蜂先采{flower}，再采{flower}。
- {A}{manner}打开第{nth}只蜂箱，先熏了一点烟，又听了听{sound}。
- ~蜂群落在{spot}的一棵{tree}上，{folk}远远地站着看。
- {flower}的蜜色浅，{flower}的蜜色深，{folk}只肯买后一种。
- {when}，{Bn}在树枝下举着竹篓，{An}在上头轻轻地摇。
- ~蜡在铜锅里化开，用{cloth}滤过，倒进从{folk}那里借来的模子。
- 旧草蜂窝用了{num}年，一个个朝{spot}歪着，像刚吃完喜酒的{group}。
- “{animal}它们早就认得了，”{An}说，“就是闻不得{smell}。”
- 没有风的傍晚，在{spot}就听得见蜂箱的嗡嗡声，再远些是{sound}。
- {folk}来讨一块蜂巢，得了{few}块，外加{food}。
- ~那个星期{An}挨了{num}下螫，说都怪{trouble}。
- 照{num}个{group}的意思，从{spot}到{spot}种了一长条{flower2}。
- 第{nth}只箱里的蜂王老了，{Bn}说光听声音就知道，至少对{folk}是这么说的。
- {rain}过后，{P}的蜜蜂{num}天没有出门，见了{animal}就发脾气。

# loom
roles: 织工 / 染匠 / 布商
seasons: any
titles: {P}的织机 / {An}的织机 / {P}的布 / {P}的染坊
+ 到{P}去的人，总是先听见织机声，后看见房子。
+ {time}，{An}上了一副新经线，要织{many}尺{cloth}。
+ {Q}人身上穿的{cloth}，大多是{P}织的。
+ {P}有{many}架织机，{An}用的是最老的一架。
- {when}，{An}{manner}抛着梭子，织出了一拃宽的{cloth}。
- ~纱线染成{dye}和{dye}，沿着{spot}一路晾过去。
- {B}在{shed}旁边梳羊毛，一共{num}斤，一边梳一边听{sound}。
- {Q}来了一张单子，要{num}匹{dye}的{cloth}，庙会以前交货。
- ~{An}的染缸有一股{smell}和{smell}的味道，{animal}从来不肯走近。
- “边上应该用{dye}，”{Bn}说，可是{folk}付的是{dye}的钱。
- 踏板断了，{An}拆了{item}另做一个，那还是一个{who}留下的。
- ~织好的{cloth}拿到{spot}下边的{R}里漂洗，由{num}个{group}捶打。
- {folk}用手指捻了捻{cloth}，谈了一会儿{subject}，照价付了钱。
- 第{nth}尺上有一处毛病，不过一根线宽，{when}，{An}拆掉了{num}个钟头的活。
- {num}匹{cloth}装上{cart}，同{goods}一道运往{Q}。
- ~{A}教{num}个{group}打织工结，过后只有{few}个还记得。
- 灯光底下{dye}看着像{dye}，{folk}只好等天亮再配色。

# kiln
roles: 陶匠 / 瓦匠 / 窑工
seasons: any
titles: {P}的窑 / {An}与陶工 / {P}的陶土 / {P}开窑
+ {P}的陶土是从{spot}挖来的，要放{num}个月才能用。
+ {time}，{P}的窑点了当年的第{nth}把火。
+ {An}坐在窗前踩着转轮拉坯。
+ {spot}后面堆着打碎的{pot}，整个{P}都像是垫在它上面。
- {A}不到中午就拉了{many}只坯，{manner}用钢丝一只只割下来。
- ~{An}的{pot}在{shed}里分{num}层晾着，{animal}不许进去。
- 一连{num}天，{folk}同{Bn}轮班往窑里添柴。
- {glaze}淌了下来，有{num}只{pot}粘在了一起，里面就有{folk}订的货。
- ~烧窑那几夜谁也睡不多，{group}带着{food}来，坐着谈{subject}。
- {B}调{glaze}全凭眼睛，{many}回里只错{few}回。
- “还得一个钟头，”{An}从火眼里看了看说，“再添些柴，{folk}那边也去叫一声。”
- 封门的砖一拆，热气直扑到{spot}，{animal}就在那里躺了下来。
- ~{num}打{pot}用稻草裹好，{folk}赶着{cart3}来拉走了。
- 敲起来声音清脆的放在左边，声音发闷的半价卖给{folk}。
- {pot}的提梁是{An}自己想出来的，{folk}用一根手指就提得起来。
- ~赶上{rain}，一整排{pot}都裂了，{An}只说这{verdict}。
- {An}的徒弟们先要{do}，等手上有了力气才许碰转轮。

# road
roles: 修路人 / 石匠 / 测量员
seasons: any
titles: 去{Q}的路 / {An}修桥 / {P}的工程 / {P}的桥
+ {P}到{Q}的路坏了{many}年。
+ {time}，{P}的桥动工了。
+ {spot}的{roadwork}塌了下去。
+ 头一个看见那道裂缝的是{An}，就在{roadwork}下面，只有一根麦秆宽。
- {A}拿着量杆从{spot}走到{spot}，记下了{num}处坏的地方。
- ~{when}，石头从{H}那边运来，一天{num}车。
- {Q}来了{num}个{group}帮着修{roadwork}，工钱是{food}和{drink}。
- {B}主张用{timber}，{Cn}主张用石头，{folk}主张{roadwork}就这么放着。
- ~沿着{roadwork}挖了一条沟，水就朝着{spot}流走了。
- 有{num}个星期，来往的人都绕到{spot}走，{cart3}在那里陷到了车轴。
- “沙子只是一句空话，”{An}说，“{roadwork}要用石头。”
- 旧路面底下翻出了{item}，还有一层更老的路，比{An}的岁数大{num}倍。
- ~过桥钱涨了{num}文，{folk}不服气，走到{spot}又折了回去。
- {when}，第{nth}个桥孔合了龙，{folk}都叫起好来。
- {A}对着{roadwork}看了看水平，打发{num}个{group}去取{goods}。
- ~去{Q}的车从{spot}一直排到{roadwork}，赶车的人便聊起了{subject}。
- 账单比{folk}担心的要少，由{P}和{Q}分作{num}份来付。

# market
roles: 客栈掌柜 / 粮商 / 豆腐匠
seasons: any
titles: {P}的集日 / {An}赶集 / {P}的摊子 / {P}的买卖
+ {P}每隔{num}天逢一次集，一直热闹到点灯。
+ {time}，摊子一直摆到了{spot}。
+ {An}在{spot}摆摊，一摆就是{many}年。
- 集上有{Q}的{goods}，有{H}那边的{goods}，{produce}更是多得买不完。
- {when}，{An}的{produce}开价{many}文，最后卖了{num}文。
- ~{folk}走了{many}里路来卖{goods}，回去的时候带的还是{goods}。
- {num}头{cattle}在{spot}挣脱了绳子，给{folk}牵了回来。
- ~隔壁摊上，{Bn}卖{food}和{drink}，谈起{subject}来头头是道。
- “拿{num}斤{goods}来换也不行，”{An}说着，{manner}收起摊来。
- 有人在{spot}演奏{instrument}，{group}凑了钱请他换个地方。
- ~{folk}来验秤，验出{few}杆是不准的。
- {when}，一笔买卖就着{drink}谈成了，{Bn}给叫去做中人。
- {P}的{produce}中午跌了价，{rain}一来又涨上去，到头来还是原价。
- ~{folk}买下{item}，转念一想，又在{spot}卖掉了。
- 布棚底下混着{smell}、{smell}和{Q}牲口的味道。
- 剩下的{produce}半卖半送给了{folk}，临走还听人讲了一段{subject}。

# school
roles: 教书先生 / 塾师 / 音乐教员
seasons: any
titles: {P}的学堂 / {An}和学生 / {P}的功课 / {P}学堂的一年
+ {P}的学堂只有一间屋，{few}扇窗，{many}个学生。
+ {time}，{An}教的是{lesson}。
+ 学堂在{spot}，{An}在那里教了{many}年书。
- {A}把{lesson}写在黑板上，底下画了{few}道线。
- ~{P}的小孩子坐前排学{lesson}，大的坐后排学{lesson}，{animal}卧在炉子边。
- 有个{Q}来的男孩，{subject}样样懂得，{lesson}却一窍不通。
- {B}每星期来教一回{lesson}，教完了留下吃{food}。
- ~有{few}个学生没有来，都去{do}了，{An}只当不知道。
- “{subject}同{lesson}有什么相干？”{An}问。
- {Q}来的督学听了{lesson}，望了望{spot}，在本子上写了{num}行字。
- {when}，每个孩子带来一捆柴和一包{food}。
- ~窗外就是{spot}，一到{season}，{lesson}就难教了。
- {lesson}的头名是{Q}来的一个{num2}岁的姑娘，她将来要当{Brole}。
- {when}，{An}用浆糊补好了地球仪，把磨掉的{Q}又画了上去。
- ~新挂了一张地图，{P}两个字小得很，{folk}还以为是一点污渍。
- 教完{lesson}就唱歌，{spot}都听得见，连{sound}也给盖住了。

# harvest
roles: 庄稼人 / 打谷人 / 里正
seasons: 夏 / 秋
titles: {P}的收成 / {An}收庄稼 / {P}的田 / {P}打谷
+ {P}收庄稼，历来从{field}开镰。
+ {time}，{An}搓开一穗{grain}看了看，说是时候了。
+ {field}的{grain}长得同{Bn}家{num2}岁的孩子一样高。
- {num}个{group}斜着排开，走进{field}，领头的是{An}。
- ~{when}，{folk}把{grain}捆好，{num}捆一堆立在田里。
- {B}把{drink}和{food}送到{field}，敲响了{worn3}铜锣。
- 一车{grain}翻在{spot}，{folk}先笑了一场，然后才动手帮忙。
- {time}，还有{many}亩没有割。
- “等露水干了再下{field}，”{An}说，“先去看看{animals}。”
- 拾穗的跟在后面，{num}个{group}外加一个{who}，照{P}的规矩可以拾到天黑。
- ~割到最后几垄，田鼠从{grain}里窜出来，{Bn}看见{animal}早就等着了。
- {when}，{num}个{group}把打谷场扫净、泼湿、夯平。
- {A}算出{many}袋{grain}、{num}袋{grain}，把数目写在{shed}的门上。
- ~{field}上空尘土一片金黄，{folk}连{spot}也看不见了。
- 稻草给{folk}铺屋顶，糠给{animals}，还有一份{grain}送到{Q}。
- {field}收空以后，{Bn}从{spot}走过去，数出了{many}只{birds}。

# letters
roles: 信差 / 书吏 / 邮差
seasons: any
titles: {Q}的来信 / {An}送信 / {P}的邮路 / 消息传到{P}
+ {P}的信先用船送到{spot}，再由人走着送来。
+ {time}，邮袋里有{num}封信，还有{folk}的一个包裹。
+ 从{spot}到{Q}，家家的门{An}都认得。
- 第{nth}封信是给{Bn}的，说的是{news}。
- ~{folk}不识字，由{An}把信里{news}的事念出来。
- {Q}来的一封信走了{num}个星期，讲的是{news}和{news2}。
- “今天没有信，”{An}在{shed}门口说，“不过听说了一件事：{trouble}。”
- ~{folk}想知道往{Q}寄{goods}要多少钱。
- 回信是在灯下写的，写了{num}页，又是{news2}，又是{subject}。
- {when}，{An}躲在{spot}，有{num}个信封上的墨还是洇开了。
- ~有个信封没有名字，只写着：送交{P}{spot}那位{trait}的{who}。
- 为了{trouble}的事，{Cn}口授了一封信，{Bn}替{Cn}删去了{num}行。
- {P}这一圈，天干的时候要走{many}里，{rain}过后还要多走{num}里。
- ~{animal}每天在{spot}等着{An}，一直跟到{shed}。
- 邮资收铜钱，{folk}给的却是{produce}。
- 有一封信讲的是{news2}，{Bn}看了{num}遍，最后一遍是念给{folk}听的。

# festival
roles: 糕饼师傅 / 客栈掌柜 / 敲钟人 / 领班乐师
seasons: any
titles: {P}的庙会 / {An}和乐班 / {P}的灯会 / {P}的节日
+ {P}的庙会比{P}的桥还老。
+ {time}，头几张条桌摆到了{spot}。
+ 到了{season}，{P}有{num}天谁也不干活，能推的都推了。
- {when}，{An}从{spot}到{shed}挂了{many}盏灯。
- ~{P}的乐班有{num}个人，{instrument}走了调，{instrument}倒还好听。
- {game}赢的是{Q}来的一个{who}，{num}个{group}很不服气。
- {folk}一直热闹到又听见{sound}，{birds}也都醒了。
- ~{P}的长桌上，这头是{food}，那头是{food}，中间摆着{num}壶{drink}。
- “再绕{spot}走一圈，”{An}喊道，“这回{instrument}也跟上！”
- 队伍从{spot}走到{spot}，带着{num}头{cattle}，头头都系着红布条。
- ~{B}给大家推上去唱了一段，一共{num}节，唱的是{subject}。
- {Q}来的棚子里卖{goods}和{goods}，还给人算卦，算的尽是{subject}。
- {when}，{game}只好改了日子。
- ~{folk}在{spot}掉进{R}里，得了一碗{drink}和一身干衣裳。
- 照{many}年的老例，由{P}最老的{who}点第一盏灯，{folk}点第二盏。
- 最后一晚，{R}边点起{num}堆火，{folk}划着船从当中穿过去。
"""
