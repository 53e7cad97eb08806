"""Character material of the Chinese names: common characters (GB 2312, level 1) by what they are used for.

`chinese.py` says how it is put together. Every release that names entities pins this file: an edit moves all names of
all worlds, and the golden names of the tests with it.
"""

from typing import Final

# 112 single surnames and 8 double ones: a family of each in ten realms. No character of a surname begins a given name
# of two characters, and none of the second characters of the double ones is a surname.
SURNAMES: Final = (
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴钟汪田"
    "任姜范方姚谭邹熊陆孔崔秦史顾侯孟段钱汤黎乔贺赖施陶颜严牛温季章鲁申尤毕焦齐莫庄管祝左谷舒关苗凌费纪洪武易常池古简"
)
DOUBLE_SURNAMES: Final = "欧阳 上官 诸葛 皇甫 令狐 慕容 司徒 南宫"
# Given names of two characters end with one of a gender's; those of one character are in no other list of first ones.
GIVEN_FIRST: Final = (
    "明文志建国家永德玉春秋海天云晓小少子思立正新学振世光嘉景宏启承绍继宗守怀敬宝兴荣华长庆福祥瑞吉喜安宁清青雪雨月星"
    "晨心若如诗梦书墨可乐欣佳美红金银珍珠凤龙鹤飞翔远航浩泽润沛涵江川山岳峰石岩松柏梅兰竹菊桂桐枫柳荷莲香芝茂英艺雅慧"
    "惠仁义礼智信忠孝廉康和平顺良善恩友朋同一亦之元亨利乾坤东北中京晋楚越汉宇宙辰昌旭晴朗曙晚朝阳日照炳灿焕耀映彩露霜"
    "冰寒暖冬夏丰年时树木水泉溪湖洲河源深广博厚宽大伯仲叔克自希望爱念忆语言谨谦素白朴真淳纯今万千百双三成功业勤俭修尚"
    "贤哲开展向前进观致鸿鸣霄翰苑桑麦禾耕牧绵丝织绘画棋歌舞音律笛声运维伦理道师士才彦本基培蔚苍丹赤镜鉴笔典定卫保护佑"
    "扶济生育养寿延续传祖昭显扬名力卓轩庭城原岭衡泰"
)
GIVEN_LAST: Final = {
    "male": (
        "明强军伟勇杰涛超刚辉鹏飞斌宇浩凯健俊帆旭龙建峰岩志松柏桐泽川洋海江河波源清澄润民国邦安宁平康泰昌盛兴荣华达通远航"
        "骏驰翔翼鸣鸿山岳岭峻崇石磊坚毅恒诚信义仁礼智忠孝廉良善德才学文武书生成功业勋立正直宏广博厚深渊光亮朗晨阳升元启发"
        "福禄寿喜庆祥瑞佑贤哲谦谨敬恭和顺友朋同群年根树森茂木金银铁钢锋锐铭钧宝贵富有财来旺胜利雄豪威虎豹魁彪标栋柱材权轩"
        "亭台城疆宗祖绍继承传世家举振奋进前先行然之夫君臣侠儒东北中原野舟桥"
    ),
    "female": (
        "芳娜秀敏静丽艳娟霞玲萍红娥莹雪琳娇兰梅菊荷莲蓉芝芬茵蕾菲莉莎青翠碧彩虹露霜云晴晓月夕春夏秋冬珍珠玉珊琴瑶环琼凤燕"
        "鹃蝶花香芹英草桃杏桂樱棉絮梨枝妙姿婉媚颖容美佳好贞淑惠慧娘姑妹妮仪雅韵诗词歌音笛弦画绣绢锦纱缨丝棠彤丹紫蓝素洁冰"
        "澜湘沁溪泉沙星霓巧灵爱欣悦欢乐思忆念梦心恬甜竹柔慈意如茹蔓眉菱萌葵玫瑰绒绸晶帘扇伊依俏圆笑雾霖蜜姬"
    ),
}
GIVEN_ONE: Final = {
    "male": (
        "伟强军勇杰涛超斌凯帆磊洋波彬刚锋锐铭钧虎豹彪魁栋柱权侠儒骏驰翼峻崇渊亮升旺胜雄豪威森勋邦民达鹏健俊坚毅辉诚恒通魄"
        "奇岗凡群钢铁炎煌驹涌淮汛澎迅逊舟"
    ),
    "female": (
        "芳娜娟玲萍娥莹琳娇蓉芬茵蕾菲莉莎翠碧虹珊琴瑶环琼燕鹃蝶芹桃杏樱妙婉媚颖贞淑妮韵绣绢锦缨棠彤紫洁澜沁苇艳霞静敏秀丽"
        "茹蔓蓝"
    ),
}

# Stems of places: one character of each, none in both.
PLACE_FIRST: Final = (
    "青白乌黄红紫绿蓝清寒温长短深浅高低平斜曲直圆方古新老旧石沙泥竹柳桑松柏梅桂荷芦茶麦稻麻葛桃李杏梨枣栗椒豆瓜兰菊蓬"
    "蒲杨樟杉桐樱云雾霜露雪风雷月星霞虹雨烟晴朝晚春夏秋冬外双三四五六七九百千万金银铜铁锡玉珠宝瓦砖木藤龙凤虎鹿马牛羊"
    "鹤雁鸭鱼蝶燕鹰鸡仙神佛道鼓钟灯船帆磨盐酒糖米粮丝棉香甜苦酸甘凉暖干落"
)
PLACE_LAST: Final = (
    "塘潭池浦洲滩川谷峰原田野林泉溪河井渠坡岭岗岩洞亭寺塔台仓场园关坑丘陵墩埠港津源泽荡泊湖江海岛堆围街市站宅院屋"
)
# Stems of buildings, vehicles and natural places: something done, and something seen that is no landform.
SCENE_FIRST: Final = (
    "望听观卧临迎揽拾采枕梦醉邀寻访问归来引照映含凝流浮横凭登步踏洗吟歌舞垂留送藏隐绕环抱拥思忆怀念待期遇逢驾追逐停系"
    "挂披题铭染织聚闻尝饮倾注清澄静飞落沉回伴沾捧咏携惜忘护侍"
)
SCENE_LAST: Final = (
    "雨月云鹤松竹梅兰菊荷莲桂柳桐柏杉桃李杏梨花叶草藤芦霞虹霜露雪冰雾烟风星辰斗汉阳光影晨暮夜春夏秋冬雁燕鸿雀鹿马鱼龙"
    "凤龟琴棋书画诗词笛铃剑帆舟灯香茶酒珠玉翠丹青紫绿红心仙鸥鹊萤蝶鹰麦钟鼓"
)
# What only a building may look upon.
BUILDING_LAST: Final = "海山泉石溪江"
# Stems of plants and animals, which do not say what kind they are.
SPECIES_FIRST: Final = (
    "青白乌红紫绿蓝清寒长深低新老沙云雾霜露雪风雷月星霞雨烟晴朝晚春夏秋冬南北东西金银铜铁锡玉仙双夜午细明暗静冷暖空旧"
    "素黑灰"
)
PLANT_LAST: Final = (
    "崖里间边头前后外根底坡岗坪塘池潭洲滩峰谷原田泉溪河湾渡井沟岭洞墙门寺塔寨角脚背坑墩津浪沼泽堆窗阶瓦桥"
)
ANIMAL_LAST: Final = (
    "尾腰腹颈眉眼耳鼻足行走游鸣眠立奔守巡听望归来步跳坐藏伏歌食呼追寻访跃掘钻搬偷跟送护舞蹲溜闯躲翻绕等拜抱挑驮嚼吟泳"
)
# Stems of schools and companies: two different characters.
LEARNED: Final = (
    "明德文澜崇正弘毅博雅敏思修远致知物行立诚育英培才启智广益求是日新治勤朴仁爱礼和信义忠恕敬业乐群达材成器树人养存真"
    "至善务本尚志同静慎自强厚载敦品力伦汇集贤聚兴华振邦国维经世"
)
FORTUNATE: Final = (
    "恒泰顺昌德丰永安盛兴隆和裕利源茂通达广聚荣华福祥瑞吉庆寿康宁平正大新同仁义信诚厚宝金鼎元亨贞乾坤来万千百亿公成功"
    "发旺升腾远长久固鸿恩惠润泽济生益盈满富贵天地人美嘉佳良协合联众群力辉光明星宇记锦绣"
)

# Stems that are words or real places.
REAL_STEMS: Final = """
    万人 万元 万千 万宝 万福 三场 三岛 上台 上场 上市 上海 上街 上野 下台 下场 下坡 下岗 下海 世人 业务 东海 丰厚
    丰富 丰满 丰盛 久美 久远 义务 乐器 乾坤 亨利 亨德 人世 人力 人品 人大 人才 人来 人爱 人物 人生 人真 人知 人群
    人行 人长 人静 亿万 亿人 亿元 众人 众生 伦敦 低谷 佳人 信是 信物 修养 修正 修行 倾心 光明 光泽 光源 光荣 光辉
    公义 公众 公元 公升 公安 公平 公正 公益 兰亭 兴旺 兴致 养成 养育 利安 利润 利益 前台 前院 功力 勤务 北海 北野
    千万 千人 千元 千金 升华 升天 华人 华伦 华力 华德 华文 华生 华达 华金 协力 协和 南海 博人 博德 博文 博爱 博物
    双关 双峰 发信 发光 发明 发来 发生 发达 合力 合同 合成 合群 合金 吉利 吉安 吉恩 吉祥 同仁 同志 同行 后台 后院
    和善 和尚 和平 咏春 品行 善行 器材 四川 四海 国人 国立 地利 地来 地通 培养 培育 外围 大亨 大人 大众 大公 大利
    大力 大功 大发 大吉 大同 大地 大宅 大宝 大寿 大屋 大岛 大明 大河 大洞 大洲 大海 大田 大福 大街 大通 天地 天大
    天平 天明 天来 天生 天腾 安吉 安宁 安康 安德 安生 安达 安金 宝贵 富人 富裕 富贵 寿星 小屋 小岛 小川 小林 小河
    小洞 小海 小溪 小野 崇尚 崇敬 平原 平台 平和 平地 平安 平生 广大 庆功 康德 康恩 弘树 强力 强国 强求 强行 德伦
    德利 德华 德国 德文 德瑞 德福 德行 忠诚 念书 念珠 思维 恒星 恩人 恩德 恩惠 恩达 成人 成功 成千 成品 成天 成本
    成真 成立 成群 成长 才华 才智 才行 披露 披风 敏智 敬业 敬爱 敬礼 文明 文本 文物 文雅 斜坡 新人 新兴 新品 新星
    新来 新海 新生 日志 日文 日本 日益 旺盛 旺达 明人 明天 明日 明星 明智 明治 明知 明美 星人 星光 星野 春田 智力
    月台 朝仓 朝田 木屋 本人 本国 本是 来信 来源 来生 松田 柏林 染红 树立 桐原 梅林 梦露 樱井 歌星 歌词 正义 正合
    正是 正经 毅力 永久 永恒 永新 永生 永远 求人 求爱 汇聚 汇集 沙丘 沙场 沙林 沙滩 泥潭 泰利 泰德 泰瑞 流星 流露
    浅滩 浅野 浮云 浮冰 润成 深海 清场 清晨 清酒 清风 温泉 满地 满天 灯关 灯塔 爱人 爱伦 爱国 爱德 爱是 牛津 物业
    物品 珠峰 瑞吉 瑞安 瑞德 瑞恩 瑞金 生人 生平 生成 生来 生长 留心 登山 登月 百万 百元 百利 百合 盈利 盛大 真人
    真品 真广 真是 真正 真爱 真知 真行 真诚 石川 石田 礼品 礼物 祥和 福利 福德 福星 福瑞 秋田 稻田 立志 立正 米塔
    粮仓 红海 经文 维修 维和 维德 维达 绿洲 美人 美元 美利 美嘉 美德 美满 美达 美金 群众 群星 联合 聚合 聚集 自信
    自治 自知 自立 自行 至爱 致力 致敬 船屋 苦海 英华 英国 英文 英明 茂盛 荣光 菊川 落叶 落山 葛林 藏书 藤井 行业
    行人 行善 行礼 西塔 西野 观光 观铃 诚信 贞德 贵人 载人 达伦 达利 达成 远大 远行 送花 通信 通天 道场 邦德 醉汉
    醉酒 金发 金恩 金星 铁塔 银河 长久 长发 长大 长寿 长岛 长成 长江 长洲 长满 长滩 长达 长远 雅致 雨林 露台 青岛
    青峰 静养 静香 顺利 飞鱼 飞鸿 飞鹰 飞龙 饮酒 香港 香田 马场 马林 高原 高塔 高峰 麦田 黄河 黄泉
"""

# What stands before a stem, and the endings of each class by form: those of two forms differ, so that no name is a part
# of another one of the class.
PREFIXES: Final = "上下东西南北前后大小"
SPECIES_PREFIXES: Final = "小大山野水石土家岩林"
VILLAGE: Final = "村 铺 湾 桥 店 集 堡 屯 营 沟 坪 坝"
VILLAGE_USUAL: Final = "庄 寨 坊 渡 口 里"
VILLAGE_BEYOND: Final = "新村 老屯 大集"
COMPANY: Final = "公司 商号 厂 行 社"
COMPANY_USUAL: Final = "实业 集团 商社 联合公司 总厂 商行"
SCHOOL: Final = "学堂 学院 书院 大学 公学"
SCHOOL_USUAL: Final = "中学 学校 师范学校 专科学校 讲习所"
BUILDING: Final = "楼 堂 阁 馆 轩 居 苑 大厦"
BUILDING_USUAL: Final = "院 大楼 公馆 山房 草堂"
VEHICLE: Final = "号"
VEHICLE_USUAL: Final = """
    一号 二号 三号 四号 五号 六号 七号 八号 九号 十号 十一号 十二号 十三号 十四号 十五号 十六号 十七号 十八号 十九号
    二十号 二十一号 二十二号 二十三号 二十四号 二十五号 二十六号 二十七号 二十八号 二十九号 三十号 甲型 乙型 丙型
    丁型 戊型 己型 一型 二型 三型 四型 五型 六型 七型 八型 九型 十型 十一型 十二型
"""
VEHICLE_BEYOND: Final = "型"
NATURAL_PLACE: Final = "境 界 墟 天 荒 隅 乡"
PLANT: Final = "子 珠 香 丝 绒 盏"
PLANT_USUAL: Final = "灯 伞 针 带 钩 扣 衣 帽"
PLANT_BEYOND: Final = "粒"
ANIMAL: Final = "客 郎 侯 翁 婆 童 使 公"
ANIMAL_USUAL: Final = "将军 娘子 先生 和尚 相公 判官 大王 道人"
ANIMAL_BEYOND: Final = "儿"
REGION: Final = "州 郡 道 府 路"
REGION_BEYOND: Final = "省 邦 盟"

# Titles: {p} is a place's stem, every other slot one of a list of `TITLE_WORDS`.
TITLES: Final = """
    {p}旧事 {p}往事 {p}纪事 {p}来信 {p}夜话 {p}手记 寄往{p}的信 去{p}的路上 {p}的{time} {p}的{thing}
    {p}的最后一个{agent} 离开{p}以后 回到{p} {p}以北 {p}没有{thing} 又见{p} 梦回{p} {p}十日 从{p}来的{agent}
    {weather}落{p} {p}一夜 一个{agent}在{p} {p}的陌生人 {p}的钟声 写给{p} {p}谣 别了{p} {p}四季 {p}的老房子
    {p}的孩子们 途经{p} {p}灯火 {p}城里的{agent} {p}图志 {p}散记 {p}的{weather}夜 没有{thing}的{place}
    {kind}的{agent}与{thing} {place}里的{agent}和{thing} {agent}的{kind}{thing} {agent}把{thing}留在{place}
    {time}去{place}的{agent} {agent}穿过{place} {kind}的{thing}不说话 {agent}不在{place} {agent}与{thing}之间
    {agent}送来的{thing} {weather}中的{place} 藏在{place}的{thing} {number}个{agent} 关于{thing}的{number}个故事
    {agent}的{time} {kind}的{place} {thing}记 {agent}和他的{thing} {agent}忘了带{thing} {place}那边的{thing}
    谁拿走了{thing} {agent}重返{place}那天 {weather}夜里的{thing} 末代{agent} {time}没有{thing} {agent}等在{place}
    {number}年后的{place} {kind}的{time}
"""
# For what a pattern has no room for.
TITLE_BEYOND: Final = "{agent}与{p}的{kind}{thing}"
TITLE_WORDS: Final[dict[str, str]] = {
    "agent": """
        钟表匠 守林人 摆渡人 养蜂人 药剂师 裁缝 木匠 铁匠 石匠 银匠 瓦匠 染匠 篾匠 漆匠 琴师 画师 鼓手 歌女 说书人
        戏子 船长 水手 领航员 守塔人 邮差 报务员 站长 司机 乘务员 校长 教员 学徒 抄写员 图书管理员 译员 记者 摄影师
        放映员 印刷工 装订工 郎中 护士 接生婆 厨子 面包师 酿酒师 茶商 盐商 布商 货郎 典当商 账房 书记员 法官 律师
        侦探 逃兵 老兵 将军 市长 税吏 地主 佃户 牧人 猎户 渔夫 樵夫 园丁 花匠 磨工 店主 守夜人 掘墓人 清道夫 修伞人
        补锅匠 磨刀人 魔术师 走索人 木偶师 旅人 香客 流浪汉 陌生人 寡妇 新娘 孤儿 邻居 房客 赌徒 小偷 诗人 天文学家
        植物学家 测绘员 潜水员
    """,
    "thing": """
        镜子 钥匙 地图 灯笼 风筝 蜡烛 怀表 算盘 风铃 纽扣 手套 草帽 斗笠 蓑衣 棉袄 围巾 绣鞋 木屐 皮箱 包裹 车票 船票
        邮票 相片 日记 账本 药方 棋盘 茶壶 酒杯 瓷碗 竹篮 木桶 铜盆 铁锅 石磨 水车 纺车 摇篮 木马 布偶 面具 戏服 铜锣
        口琴 竹笛 胡琴 唱片 望远镜 罗盘 船桨 渔网 铁锚 绳索 马鞍 缰绳 铃铛 旗子 勋章 戒指 项链 发簪 手绢 扇子 屏风
        窗帘 楼梯 屋顶 烟囱 门环 石狮 井绳 稻草人 蜂箱 鸟笼 鱼缸 花瓶 盆栽 种子 苹果 石榴 柿子 桂花 蔷薇 芦苇 梧桐
        麻雀 喜鹊 黄牛 白马 蜗牛 萤火虫 旧棉被 留声机 打字机 缝纫机 自行车 火柴盒
    """,
    "place": """
        渡口 码头 车站 桥头 集市 茶馆 客栈 当铺 药铺 书店 学堂 戏院 祠堂 庙会 钟楼 灯塔 水塔 粮仓 磨坊 油坊 染坊 砖窑
        盐场 果园 菜园 麦田 稻田 茶山 竹林 松林 荒原 草原 沙漠 雪原 山谷 河谷 湖心 海边 江边 井边 路口 巷口 村口 城外
        城墙 阁楼 地窖 后院 天井 走廊 窗前 门外 岛上 船上 远方 南方 北方 对岸 山那边 二楼
    """,
    "kind": """
        安静 沉默 孤独 陌生 古老 遥远 神秘 平凡 无名 不幸 幸运 最初 最后 唯一 普通 真实 虚构 透明 忧郁 快乐 温柔 冷淡
        诚实 固执 年轻 疲倦 苍白 失落 寻常 崭新 朴素 奇怪 著名 隐秘
    """,
    "time": """
        春天 夏天 秋天 冬天 清晨 正午 黄昏 午夜 雨季 旱季 雪季 梅雨天 清明 端午 中秋 除夕 立春 谷雨 白露 霜降 冬至
        假日 星期天 最后一夜
    """,
    "weather": "雨 雪 雾 霜 风 月",
    "number": "两 三 四 五 六 七 八 九 十 十二 一百",
}
