import { endingsOf } from "./endings";
import { synonymsOf } from "./synonyms";
import { wordsOf } from "./words";

// The words of Danish, Dutch, English, Finnish, French, German, Hungarian, Italian, Norwegian, Portuguese, Russian, Spanish, Swedish
// and Turkish are those of Snowball (https://snowballstem.org), with words of questions («how», «comment», «kann») added. The others
// were written for this file. For Snowball's:
//
// Copyright (c) 2001, Dr Martin Porter. Copyright (c) 2004, 2005, Richard Boulton. Copyright (c) 2013, Yoshiki Shibukawa.
// Copyright (c) 2006, 2007, 2009, 2010, 2011, 2014-2019, Olly Betts. All rights reserved.
// Redistribution and use in source and binary forms, with or without modification, are permitted provided that the following
// conditions are met: 1. Redistributions of source code must retain the above copyright notice, this list of conditions and the
// following disclaimer. 2. Redistributions in binary form must reproduce the above copyright notice, this list of conditions and the
// following disclaimer in the documentation and/or other materials provided with the distribution. 3. Neither the name of the Snowball
// project nor the names of its contributors may be used to endorse or promote products derived from this software without specific
// prior written permission.
// THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT
// LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL THE
// COPYRIGHT OWNER OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES
// (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION)
// HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE)
// ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.

/** Words that carry no question, by language. In Chinese and Japanese, pairs of neighbouring characters. */
const STOP_WORDS: Readonly<Record<string, string>> = {
  // Arabic
  ar: `
    أريد أستطيع ألا أما أمام أن أنا أنت أو أي أين إذا إلا إلى إن التي الذي الذين اللذين بعد بعض بل بين تحت تكون تم ثم حتى حول حيث حين خلال دون
    ذلك سوف ضد عبر على عليه عن عند عندما غير فإن فقط في فيه فيها قبل قد كان كانت كل كم كما كيف كيفية لأن لا لدى لكن لم لماذا لن له لها ليس ما
    ماذا متى مثل مع من منذ منه منها مهما نحن نعم هذا هذه هل هم هنا هناك هو هي و وقد وهو وهي يتم يجب يكون يمكن يمكنني`,
  // Bulgarian
  bg: `
    а аз ако без беше би бъде в вас вече ви все всеки във до добре докато его един една едно за защо и из използвам или им има искам как каква
    какво какъв кога когато което които кой колко която къде към ли ме между ми много мога може мой моля на над най направя не него нея ни но
    нужно някой няма о от по под после пред през при са само се си след така там те тези ти то това тогава този той толкова трябва тук тя у че
    ще щом я`,
  // Catalan
  ca: `
    a abans així això al alguns als amb aquell aquella aquest aquesta aquests cada cal com contra d dalt de del dels des després doncs durant e
    el ella ells els em en encara entre era es estan està et fa faig fer fins ha han has he hem hi ho i jo l la les li llavors m meu molt més n
    ni no nosaltres o on p pel pels per perquè però poc podem poden poder pot puc qual quals quan quant quants que qui quin quina què s sempre
    sense ser seu seva si sobre sol sota sí són t també tan tot tots un una uns usar utilitzar va vaig vull és`,
  // Czech
  cs: `
    a aby ale anebo ani asi až bez bude budou by byl byla byli bylo být chci co což další do jak jako jaká jaké jaký je jeho jejich její jen
    jenom jestli jestliže ještě již jsem jsi jsme jsou já k kam kde kdo kdy kdyby když ke kolik kterou která které který kteří lze mají mezi mi
    mně mohou mohu moje musí musím my má mám mít mě můj může můžete můžu na nad ne nebo nechť není než nic nich nikdy nám náš o od on ona oni
    ono pak po pod podle pokud potřebuji pouze použít používat pro proto protože proč před přes přesto při s se si snad své svůj ta tak také
    takže tam tato te tedy ten tento teď to tohle toho tom tomto tu ty tím u už v ve vlastně vy vám váš více však vše všechno z za ze či že`,
  // Danish
  da: `
    ad af aldrig alle alligevel alltid alt altid anden andet andre at bare begge behøver blev blive bliver bruge bruger både da de dem den denne
    der deres derfor derfra det dette dig din disse dog du efter eller en end endnu er et fik flere fleste for foran fordi fra få får før gennem
    gør gøre ham han hans har havde have hen hende hendes her hos hun hvad hvem hver hverken hvilke hvilken hvilket hvis hvor hvordan hvorfor
    hvornår i ikke ind ingen intet ja jeg jer jo kan kunne lave lige man mange med meget mellem men mens mere mest mig min mine mit mod må ned
    nogen noget nogle nok nu når og også om op os over på samme selv sig sin sine sit skal skulle som stadig så sådan thi til ud uden under var
    ved vi vil ville vor vores være været`,
  // German
  de: `
    ab aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes anderm andern anderr anders auch auf aus
    bei beim bin bis bist bitte brauche braucht da dabei dadurch dafür damit dann daran darauf daraus darf darin darüber das dasselbe davon dazu
    daß dein deine deinem deinen deiner deines dem demselben den denn denselben der deren derer derselbe derselben des desselben dessen dich die
    dies diese dieselbe dieselben diesem diesen dieser dieses dir doch dort du durch dürfen eben ein eine einem einen einer eines einig einige
    einigem einigen einiger einiges einmal er es etwa etwas euch euer eure eurem euren eurer eures für fürs gegen gewesen gibt ging hab habe
    haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres im immer in indem ins ist jede jedem jeden jeder
    jedes jene jenem jenen jener jenes jetzt kann kannst kein keine keinem keinen keiner keines können könnt könnte lasse lassen lässt mache
    machen machst macht mag man manche manchem manchen mancher manches mein meine meinem meinen meiner meines meist mich mir mit muss musste muß
    möchte möchten möglich müssen nach nicht nichts nie noch nun nur nutze nutzen ob oder oft ohne per schon sehr sein seine seinem seinen
    seiner seines seit selbst sich sie sind so sogar solche solchem solchen solcher solches soll sollte somit sondern sonst soviel statt trotz
    um und uns unse unsem unsen unser unses unter verwende verwenden verwendet viel vom von vor wann war waren warst warum was weg weil weiter
    welche welchem welchen welcher welches wem wen wenn wer werde werden weshalb wessen wie wieder wieso wieviel will wir wird wirst wo wofür
    woher wohin wollen wollte womit woran worauf wovon wurde wurden während würde würden zu zum zur zuvor zwar zwischen über`,
  // Greek
  el: `
    ένα έναν ένας έχει έχουν έχω ή ήταν ίσως αλλά αν αντί από αυτά αυτές αυτή αυτοί αυτού αυτό αυτός αφού για γιατί δεν εάν είμαι είναι εγώ εδώ
    εκεί εμείς ενώ επί επειδή εσείς εσύ θέλω θα κάθε κάνω κάποιος και κατά κι μέσα μέχρι μία με μετά μη μην μια μου μπορεί μπορώ μόνο να ναι ο
    οι ποια ποιες ποιο ποιοι ποιος πολύ που πού πρέπει πριν προς πως πόσα πόσο πότε πώς σαν σας σε στα στη στην στις στο στον στους συ τα τη την
    της τι τις το τον του τους των υπάρχει χρησιμοποιώ χωρίς ως όμως όπου όπως όσο όταν ότι όχι ώστε`,
  // English
  en: `
    a about again all am an and any are as at be because been being both but by can cannot could couldn d did didn do does doesn doing don down
    each else even ever every few for from get gets getting got had has hasn have haven having he her here hers herself him himself his how i if
    in into is isn it its itself just least let like ll m make makes may maybe me might more most much must my myself need needs no nor not now
    of on one only or other our ours ourselves out over please possible re s shall she should shouldn so some something such t tell than that
    the their theirs them themselves then there these they thing things this those though thus to too under unless up us use used using ve very
    via want wants was wasn we were what when where whether which while who whom why will with won would wouldn yet you your yours yourself
    yourselves`,
  // Spanish
  es: `
    a además ahora al algo alguna algunas alguno algunos algún ante antes aquel aquella aun aunque cada casi cierto como con conseguir contra
    cual cuales cualquier cuando cuanta cuanto cuál cuáles cuándo cuánta cuánto cuántos cómo de debe deben debo del desde donde durante dónde e
    el ella ellas ellos en entonces entre era erais eran eras eres es esa esas ese eso esos esta estaba estabais estaban estabas estad estada
    estadas estamos estando estar estaremos estará estarán estarás estaré estaréis estaría estaríais estaríamos estarían estarías estas este
    estemos esto estos estoy estuve estuviera estuvierais estuvieran estuvieras estuvieron estuviese estuvieseis estuviesen estuvieses estuvimos
    estuviste estuvisteis estuviéramos estuviésemos estuvo está estábamos estáis están estás esté estéis estén estés fue fuera fuerais fueran
    fueras fueron fuese fueseis fuesen fueses fui fuimos fuiste fuisteis fuéramos fuésemos ha habida habidas habido habidos habiendo habremos
    habrá habrán habrás habré habréis habría habríais habríamos habrían habrías habéis había habíais habíamos habían habías hace hacer hacia
    hago han has hasta hay haya hayamos hayan hayas hayáis he hemos hube hubiera hubierais hubieran hubieras hubieron hubiese hubieseis hubiesen
    hubieses hubimos hubiste hubisteis hubiéramos hubiésemos hubo la las le les lo los me menos mi mientras mis mucho muchos muy más mí mía mías
    mío míos nada necesito ni ninguno no nos nosotras nosotros nuestra nuestras nuestro nuestros nunca o os otra otras otro otros para pero poco
    poder por porque posible pueda puede pueden puedo pues que quien quienes quiero quizás quién qué se sea seamos sean seas según sentid
    sentida sentidas sentido sentidos ser seremos será serán serás seré seréis sería seríais seríamos serían serías seáis si siempre siente sin
    sintiendo sobre sois solo somos son soy su sus suya suyas suyo suyos sí sólo también tan tanto te tendremos tendrá tendrán tendrás tendré
    tendréis tendría tendríais tendríamos tendrían tendrías tened tenemos tenga tengamos tengan tengas tengo tengáis tenida tenidas tenido
    tenidos teniendo tenéis tenía teníais teníamos tenían tenías ti tiene tienen tienes todavía todo todos tras tu tus tuve tuviera tuvierais
    tuvieran tuvieras tuvieron tuviese tuvieseis tuviesen tuvieses tuvimos tuviste tuvisteis tuviéramos tuviésemos tuvo tuya tuyas tuyo tuyos tú
    un una uno unos usar uso utilizar veces vosostras vosostros vuestra vuestras vuestro vuestros y ya yo él éramos`,
  // Persian
  fa: `
    آن آنها از است اما او اگر این اینکه با باید بدون بر برای بسیار بعد به بود بین تا تر تو خود دارد دارم داشت در را روی شد شده شما شود فقط قبل
    ما من مورد می میتوان میتوانم نمی نیز نیست ها هر هم همه همین هنوز هیچ و وقتی ولی پس پیش چرا چطور چند چه چگونه چیزی چیست کجا کدام کرد کردن
    کرده کند کنم که کی یا یک`,
  // Finnish
  fi: `
    aina ehkä ei eivät emme en ennen et ette että haluan he heidän heidät heihin heille heillä heiltä heissä heistä heitä hän häneen hänelle
    hänellä häneltä hänen hänessä hänestä hänet häntä ilman itse ja jo johon joiden joihin joiksi joilla joille joilta joina joissa joista joita
    joka jokainen joksi jolla jolle jolloin jolta jona jonka jos jossa josta jota joten jotka kaikki kanssa kautta keiden keihin keiksi keille
    keillä keiltä keinä keissä keistä keitä keneen keneksi kenelle kenellä keneltä kenen kenenä kenessä kenestä kenet ketkä ketä koko koska kuin
    kuinka kuka kukaan kun kuten käyttää lisäksi luona me meidän meidät meihin meille meillä meiltä meissä meistä meitä mihin miksi mikä mikään
    mille milloin millä miltä minkä minua minulla minulle minulta minun minussa minusta minut minuun minä missä mistä miten mitkä mitä monta
    mukaan mutta myös ne niiden niihin niiksi niille niillä niiltä niin niinä niissä niistä niitä noiden noihin noiksi noilla noille noilta noin
    noina noissa noista noita nuo nyt näiden näihin näiksi näille näillä näiltä näinä näissä näistä näitä nämä ole olemme olen olet olette oli
    olimme olin olisi olisimme olisin olisit olisitte olisivat olit olitte olivat olla olleet ollut on ovat pitäisi pitää poikki se sekä sen
    siihen siinä siis siitä siksi sille sillä siltä sinua sinulla sinulle sinulta sinun sinussa sinusta sinut sinuun sinä sitten sitä tai tallä
    tarvitsen te teen tehdä teidän teidät teihin teille teillä teiltä teissä teistä teitä tuo tuohon tuoksi tuolla tuolle tuolta tuon tuona
    tuossa tuosta tuotä tähän täksi tälle tältä tämä tämän tänä tässä tästä tätä vaan vai vaikka vain vielä voi voidaan voin voisi voivat yli`,
  // French
  fr: `
    afin ai aie aient aies ainsi ait alors après as au aucun aucune aura aurai auraient aurais aurait auras aurez auriez aurions aurons auront
    aussi autre autres aux avaient avais avait avant avec avez aviez avions avoir avons ayant ayante ayantes ayants ayez ayons beaucoup besoin c
    car ce ceci cela celle celles celui ces cet cette ceux chaque chez comme comment contre d dans de depuis derrière des dois doit doivent donc
    dont du déjà elle en encore entre es est et eu eue eues eurent eus eusse eussent eusses eussiez eussions eut eux eûmes eût eûtes faire fais
    fait faudrait faut furent fus fusse fussent fusses fussiez fussions fut fûmes fût fûtes ici il j jamais je jusque l la laquelle le lequel
    lesquelles lesquels leur lors lorsque lui là m ma mais me mes mieux moi moins mon même n ne nos notre nous on ont ou où par parce pas peu
    peut peuvent peux plus plusieurs pour pourquoi pourrait pouvez pouvoir pouvons presque puis puisque qu quand que quel quelle quelles quelque
    quelques quels qui quoi s sa sans se selon sera serai seraient serais serait seras serez seriez serions serons seront ses si sinon soient
    sois soit son sont sous souvent soyez soyons suis sur t ta tandis te tes toi ton toujours tous tout toute toutes très tu un une utilise
    utiliser vers veulent veut veux via voici voilà vos votre voudrais vous y à étaient étais était étant étante étantes étants étiez étions été
    étée étées étés êtes être`,
  // Hebrew
  he: `
    אבל או אולי אחר אחרי איך אין איפה אל אם אנחנו אני אף אפשר אשר את אתה אתם בגלל בין בלי גם הוא היא היה היו הם הן זאת זה יותר יכול יש כאשר כדי
    כי כך כל כמה כמו כן לא לאן לכל למה לפני מאוד מדוע מה מי מן מתי עד עוד על עם צריך רוצה רק של שלי שם`,
  // Hindi
  hi: `
    अगर अपना अपनी अपने अभी आप इन इस इसका इसके इसको इसमें इसे उन उनका उनके उस उसके उसे एक और कई कब कर करता करते करना करने करें कहाँ का कि किया
    किस किसी की कुछ के केवल कैसे को कोई कौन क्या क्यों गया चाहता चाहिए जब जहाँ जा जाए जाता जैसे जो तक तब तो था थी थे दिया द्वारा न नहीं ने पर
    पहले फिर बहुत बाद बिना भी मुझे में मेरा मेरे मैं मैंने यदि यह यहाँ या ये लिए लेकिन वह वहाँ वे सकता सकते सब सभी साथ से हम हर ही हुआ हुई हुए
    हूँ है हैं हो होता होती होते होना`,
  // Hungarian
  hu: `
    a abban ahhoz ahogy ahol aki akik akkor alatt amely amelyek amelyekben amelyeket amelyet amelynek ami amikor amit amolyan amíg annak arra
    arról az azok azon azonban azt aztán azután azzal azért be belül benne bár cikk cikkek cikkeket csak de e ebben eddig egy egyes egyetlen
    egyik egyre egyéb egész ehhez ekkor el ellen első elég elő először előtt emilyen ennek erre ez ezek ezen ezt ezzel ezért fel felett felé ha
    hanem használ használata hiszen hogy hogyan hol honnan hova igen ill ill. illetve ilyen ilyenkor is ismét ison itt jobban jó jól kell
    kellene kellett keressünk keresztül ki kinek kívül között közül legalább legyen lehet lehetett lenne lenni lesz lett maga magát majd meg
    mellett mely melyek melyik mennyi mert mi mikor milyen minden mindenki mindent mindig mint mintha mit mivel miért most már más másik még míg
    nagy nagyobb nagyon ne nekem neki nem nincs néha néhány nélkül olyan ott pedig persze rá s saját sem semmi sok sokat sokkal szemben
    szeretnék szeretném szerint szinte számára talán tehát teljes tovább továbbá tud tudok tudom több ugyanis utolsó után utána vagy vagyis
    vagyok valaki valami valamint való van vannak vele vissza viszont volna volt voltak voltam voltunk által általában át én éppen és így össze
    úgy új újabb újra ő ők őket`,
  // Indonesian
  id: `
    ada adalah agar akan aku anda antara apa apakah atau bagaimana bagi bahwa banyak beberapa belum bisa boleh dalam dan dapat dari dengan di
    dia hanya harus ia ingin ini itu jadi jika juga kalau kami kamu kapan karena ke kepada kita lagi lain lebih maka mana masih melakukan
    membuat mengapa menggunakan mereka namun oleh pada para perlu saat saja sampai sangat saya sebagai sebelum sebuah secara sedang sehingga
    sekarang selalu semua seperti sesudah setelah setiap siapa sini sudah supaya tanpa tapi telah tentang terhadap tersebut tetapi tidak untuk
    yaitu yang`,
  // Italian
  it: `
    a abbia abbiamo abbiano abbiate ad adesso agl agli ai al alcuni alcuno all alla alle allo allora anche ancora avemmo avendo avesse avessero
    avessi avessimo aveste avesti avete aveva avevamo avevano avevate avevi avevo avrai avranno avrebbe avrebbero avrei avremmo avremo avreste
    avresti avrete avrà avrò avuta avute avuti avuto bisogna bisogno c che chi ci ciascuno ciò coi col come con contro cosa così cui da dagl
    dagli dai dal dall dalla dalle dallo degl degli dei del dell della delle dello deve devo devono di dopo dov dove dunque durante e ebbe
    ebbero ebbi ecco ed entro era erano eravamo eravate eri ero essendo fa faccia facciamo facciano facciate faccio facemmo facendo facesse
    facessero facessi facessimo faceste facesti faceva facevamo facevano facevate facevi facevo fai fanno farai faranno fare farebbe farebbero
    farei faremmo faremo fareste faresti farete farà farò fece fecero feci fosse fossero fossi fossimo foste fosti fu fui fummo furono già gli
    ha hai hanno ho i il in infatti invece io l la le lei li lo loro lui ma mai mediante meno mentre mi mia mie miei mio molto ne neanche negl
    negli nei nel nell nella nelle nello nessuno niente noi non nostra nostre nostri nostro nulla o ogni oltre ora per perché però piuttosto più
    poco poi possiamo possibile posso possono potrebbe presso prima proprio può qual qualche qualcosa quale quali quando quanta quante quanti
    quanto quasi quella quelle quelli quello questa queste questi questo quindi sarai saranno sarebbe sarebbero sarei saremmo saremo sareste
    saresti sarete sarà sarò se sei sempre senza si sia siamo siano siate siccome siete solo sono sopra sotto spesso sta stai stando stanno
    starai staranno starebbe starebbero starei staremmo staremo stareste staresti starete starà starò stava stavamo stavano stavate stavi stavo
    stemmo stesse stessero stessi stessimo steste stesti stette stettero stetti stia stiamo stiano stiate sto su sua subito sue sugl sugli sui
    sul sull sulla sulle sullo suo suoi tanto ti tra troppo tu tua tue tuo tuoi tutti tutto un una uno usare uso utilizzare verso vi voglio voi
    vostra vostre vostri vostro è`,
  // Japanese
  ja: `
    あと あの ある いい いう いく いつ いる うち おり か から が くだ ここ こと この これ さい ささ ざい しい した して しま すか すぐ する せん そう その それ たい ただ たち たの ため たり だけ だっ だと った って つの つま てい てく
    ては でき です での では でも とい とき とこ とし とは とも どう どこ どの どれ ない なお なく なぜ など なに なの なら なり なる なん にお につ には によ ので のに のは のよ はど ばい べき ほう ほか まし ます また まで まま みる めに
    もう もし もの やり よう より られ りま るか るこ るた るに るの るよ れば れる わる をす 何か 何が 何を 方法`,
  // Korean
  ko: `
    가 거나 것 것은 것을 것이 과 그 그것 그러나 그리고 까지 나 나는 내 내가 누가 누구 는 다른 대한 대해 더 도 되나요 된다 될 됩니까 됩니다 때 때문에 또는 또한 로 를 마다 만 많이 면 모든 무슨 무엇 무엇을 무엇이 무엇인가요 및 방법 방법은
    부터 사용 사용하는 사용하여 수 아니라 안 어느 어디 어디에 어디에서 어떤 어떻게 언제 얼마나 없는 없다 없습니다 에 에서 와 왜 으로 은 을 의 이 이것 이런 있나요 있는 있다 있습니까 있습니다 저 저는 제 좀 지 처럼 하고 하나요 하는 하려면 하면
    하지 한 한다 할 합니까 합니다 해서 해야`,
  // Dutch
  nl: `
    aan al alle alleen allemaal alles als altijd andere anders behalve beide ben bent bij bijvoorbeeld binnen daar dan dat de der deze die dit
    doch doen doet door dus echter een eens elk elke en enige er erg ervan gaan gaat ge gebruik gebruiken geen geweest graag haar had heb hebben
    heeft hem het hier hij hoe hoeveel hun iemand iets ik in is ja je jij jouw jullie kan kon kun kunnen kunt maak maar mag maken me meer men
    met mij mijn misschien moet moeten mogelijk mogen na naar nadat niet niets nodig nog nooit nu of om omdat onder ons ook op over per reeds
    soms steeds te tegen tenzij terwijl tijdens toch toen tot totdat tussen u uit uw vaak van vanaf vanuit veel via volgens voor waar waarin
    waarmee waarom waarvan wanneer want waren was wat we weer wel welk welke werd wezen wie wil wilt worden wordt zal ze zelf zich zij zijn zo
    zoals zonder zou`,
  // Norwegian
  no: `
    aldri alle alltid altfor andre at av bare begge behøver ble blei bli blir blitt bruke bruker både båe da de deg dei deim deira deires dem
    den denne der dere deres derfor dersom det dette di din disse ditt du dykk dykkar då eg ein eit eitt eller elles en enn er et ett etter
    finnes flere for foran fordi fra få får før gjennom gjør gjøre ha hadde han hans har hennar henne hennes her hjå ho hoe honom hoss hossen
    hun hva hvem hver hvilke hvilken hvilket hvis hvor hvordan hvorfor i ikke ikkje ingen ingi inkje inn inni ja jeg kan kanskje kom korleis
    korso kun kunne kva kvar kvarhelst kven kvi kvifor lage man mange me med medan meg meget mellom men mens mer mest mi min mine mitt mot mye
    mykje må ned no noe noen nok noka noko nokon nokor nokre nå når og også om opp oss over på samme seg selv si sia sidan siden sin sine sitt
    sjøl skal skulle slik so som somme somt så sånn til um under upp ut uten var vart varte ved vere verte vi vil ville vore vors vort vår være
    vært å`,
  // Polish
  pl: `
    a aby albo ale ani aż bardzo bez bo być był była było były będzie chcę chociaż ci co coś czego czemu czy czyli czym dla dlaczego do dobrze
    dużo gdy gdyby gdzie go i ich ile im inne inny innych ja jak jaka jaki jakie jakiś jako je jeden jednak jego jej jest jestem jeszcze jeśli
    jeżeli już kiedy kilka kto ktoś która które którego której który których którym którzy lub ma mają mam mi mnie mogą mogę moje można mu musi
    muszę my mój na nad nam nas nasz nawet nic nich nie nim niż o od on ona one oni ono oraz po pod podczas ponieważ potrzebuję poza przed przez
    przy się skąd swoje są ta tak taki takie tam te tego tej ten teraz też to tu tych tylko tym u używać użyć w we wiele więc wszystkie wszystko
    z za zawsze ze zrobić że żeby`,
  // Portuguese
  pt: `
    a ainda algum alguma alguns antes ao aonde aos apenas após aquela aquelas aquele aqueles aqui aquilo as assim até cada caso com como contra
    cujo da das de dela delas dele deles depois desde deve devem devo disso do dos durante e ela elas ele eles em enquanto entre então era eram
    essa essas esse esses esta estamos estas estava estavam este esteja estejam estejamos estes esteve estive estivemos estiver estivera
    estiveram estiverem estivermos estivesse estivessem estivéramos estivéssemos estou está estávamos estão eu fazer faço foi fomos for fora
    foram forem formos fosse fossem fui fôramos fôssemos haja hajam hajamos havemos hei houve houvemos houver houvera houveram houverei houverem
    houveremos houveria houveriam houvermos houverá houverão houveríamos houvesse houvessem houvéramos houvéssemos há hão isso isto jamais já
    lhe lhes lá mais mas me mediante menos mesmo meu meus minha minhas muito muitos na nada nas nem nenhum no nos nossa nossas nosso nossos num
    numa nunca não nós o onde os ou para pela pelas pelo pelos pode podem poder pois por porque porquê posso possível preciso quais qual
    qualquer quando quanta quanto quantos quase que quem quero quê se seja sejam sejamos sem sempre serei seremos seria seriam será serão
    seríamos seu seus sob sobre somos sou sua suas são só também tanto te tem temos tenha tenham tenhamos tenho terei teremos teria teriam terá
    terão teríamos teu teus teve tinha tinham tive tivemos tiver tivera tiveram tiverem tivermos tivesse tivessem tivéramos tivéssemos toda
    todas todo todos tu tua tuas tudo tão tém tínhamos um uma usando usar uso utilizar vez você vocês vos à às éramos`,
  // Romanian
  ro: `
    a acea aceasta această aceea acei aceia acel acela acele acest acesta aceste acestea acum ai aici al ale alt alte altă am ar are as ati au
    avea aș ați ca care ce cea cei cel cele ceva cine cineva cu cui cum cumva când cât câte câți că da dacă dar de deci decât deja deși din după
    ea ei el ele era este eu fac face fi fie fiecare folosesc folosi fost fără iar la le li lor lui mai mea mei mele meu mi mult multe ne nevoie
    nici nimic noastră noi nostru nu o ori orice pe pentru peste poate pot prea prin sa sale sau se sunt să te toate tot toți trebuie tu un una
    unde unei unele unor unui unul va voi vor vreau vă îi îl îmi în încât între își și`,
  // Russian
  ru: `
    а без более больше будет будто буду бы был была были было быть в вам вас ваш ваша вдруг ведь весь вместо во вот впрочем все всегда всего
    всех всю всё вы где да даже два для до должен должна должно другой его ее ей ему если есть еще ещё её ж же за зачем здесь и из или им иногда
    использовать используя их к каждый как какая какие каким каких какое какой когда конечно кто куда ли либо лишь лучше люди между меня мне
    много может можно мой моя мы на над надо наконец нам нас нашего нашей не него нее ней нельзя нет неё ни нибудь никогда ним них ничего но ну
    нужен нужно о об оба один однако он она они оно опять от откуда очень перед по под после потом потому почему почти при про раз разве с сам
    свой свою своя сделать себе себя сейчас сколько со совсем так также такой там тебя тем теперь то тогда того тоже только том тот три ту тут
    ты у уж уже хорошо хоть хочу чего чем через что чтоб чтобы чуть чья эти этого этой этом этот эту я является являются`,
  // Slovak
  sk: `
    a aby aj ak ako aká aké aký ale alebo ani asi až bez bol bola boli bolo bude budú by byť chcem do ho i iba ich ja je jeho jej k kam kde kedy
    keď koľko kto ktorá ktoré ktorí ktorý len ma mi mnou mu musí my má máš môj môže môžem na nad nech než nie nám náš o od on ona oni ono po pod
    podľa pokiaľ potrebujem použiť pre pred pretože prečo pri s sa si sme so som svoj sú ta tak takže tam te ten tento to toto tu ty u už v viac
    vy vám váš však všetko z za zo áno či čo že`,
  // Swedish
  sv: `
    aldrig alla allt alltid använda använder att av bara behöver blev bli blir blivit bättre båda de dem den denna deras dess dessa det detta
    dig din dina ditt du där därför därifrån då efter eftersom ej eller en endast er era ert ett finns fler flera från få får för före förutom
    ganska ge genom ger gör göra ha hade han hans har henne hennes hon honom hur hurdan här i icke igen ingen inget innan inom inte jag ju kan
    kanske kommer kunde kunna lite man med medan mellan men mer mera mest mig min mina mitt mot mycket måste ned ni nog nu när någon något några
    och också ofta olika om oss på redan samma sedan sig sin sina sitta själv ska skall skulle snart som så sådan sådana sådant tack till trots
    under upp ur ut utan utom vad var vara varför varit varje vars vart vem vems vi vid vilja vilka vilkas vilken vilket vill visa vår våra vårt
    än ännu är även åt över`,
  // Turkish
  tr: `
    acaba altında ama ancak artık asla aslında ayrıca az bana bazı belki ben beni benim beri bir biri birkaç birşey biz bize bizim bu buna bunda
    bundan bunlar bunu bunun burada böyle da daha de defa değil diye diğer dolayı en eğer fakat gerek gereken gerekir gibi göre hala hangi
    hangisi hatta hem henüz hep hepsi her herhangi hiç iken ile ilgili ise istiyorum için işte kadar karşın kendi kez ki kim kimin kullanmak
    kullanılır lazım lütfen mi mu mü mümkün mı nasıl ne neden nedir nerde nerede nereye niye niçin o olan olarak olduğu olmak olsa olur ona
    ondan onlar onu onun oysa pek rağmen sadece sanki sen siz sonra tarafından tüm var ve veya ya yani yapabilirim yapmak yapılır yerine yine
    yok zaten çok çünkü öyle üzere şekilde şey şimdi şu şöyle`,
  // Ukrainian
  uk: `
    а або але б без би був була були було бути в вам вас ваш вже використовувати вона вони воно все всі від він да де для до добре ж з за
    зробити зі й його каже коли котрий крім куди лише мене мені ми може можна можу міг між мій на над нам нас наш не немає ні ніж ніколи о об
    один оскільки от по поки потрібно при про під після саме свій себе скільки слід собі та так такий також там те теж ти тим то тобто того тоді
    той треба тут у хоча хочу хто це цей цього ця ці чи чим чого чому що щоб як яка яке який якщо які є і із інший їх її`,
  // Vietnamese
  vi: `
    ai bao bạn bằng bị bởi cho chúng chưa chỉ các cách cái có cùng cũng cần của do gì hay hoặc hãy hơn khi không là làm lên lúc lại muốn mà mình
    mỗi một nhiều như nhưng những nào này nên nó nếu phải ra rất rằng rồi sao sau sẽ thì thôi thế thể trong trên trước tôi tại tất từ việc và
    vào vì vẫn vậy về với vừa đang đi điều đây đã được đến để ở`,
  // Chinese
  zh: `
    一个 一些 一样 不能 与其 並且 中的 为了 为什 为何 么样 也是 了一 于是 什么 什麼 他们 以及 但是 你们 使用 其中 其他 再次 则是 到的 可以 可能 各种 后的 吗 呢 和在 哪个 哪些 哪里 因为 在哪 多少 如何 如果 它们 对于 将会 就是 已经 并且
    应该 怎么 怎样 怎樣 怎麼 想要 我们 我怎 我的 或者 所以 所有 新的 时候 是否 有什 有的 本的 来 来自 来说 某个 样才 模样 每个 没有 然后 的 的话 能否 自己 虽然 被 要在 让我 该如 请问 还是 这个 这些 这样 这里 进行 通过 那个 那么 那些 都是
    里的 需要 麼樣`,
};

/** Of a site's own language, at least this share as many words as of the best other one: else it is not the language of its texts. */
const FITS = 0.5;

/** What the search knows about a language. */
export interface LanguageWords {
  /** Words that carry no question. */
  readonly stopWords: readonly string[];
  /** Endings by which the forms of a word differ. */
  readonly endings: readonly string[];
  /** Words that mean nearly the same, a group each. */
  readonly synonyms: readonly string[];
}

/**
 * The words of a site's language, or of the one whose words are in most of its pages if it states none, or another than that of its
 * texts.
 *
 * @param pagesOf how many pages have a word
 */
export function languageWordsOf(language: string, pagesOf: (word: string) => number): LanguageWords {
  const lists = Object.entries(STOP_WORDS).map(([name, list]) => {
    const words = [...new Set(wordsOf(list).map(({ text }) => text))];
    return { name, words, fit: words.reduce((sum, word) => sum + pagesOf(word), 0) };
  });
  const most = Math.max(...lists.map(({ fit }) => fit));
  const own = lists.find(({ name, fit }) => name === language && fit >= FITS * most);
  const found = most === 0 ? undefined : (own ?? lists.find(({ fit }) => fit === most));
  const name = found?.name ?? language;
  return {
    stopWords: found?.words ?? [],
    endings: endingsOf(name),
    synonyms: synonymsOf(name, pagesOf),
  };
}
