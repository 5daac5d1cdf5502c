import { folded } from "./words";

/** Endings by which the forms of a word differ, and those that make a noun of a verb: who asks how to install reads «Installation». */
const ENDINGS: Readonly<Record<string, string>> = {
  da: "e en ens er ere eren erne ernes es et ede ende ing ingen inger n ne r re s t te",
  de: "e el em en end ende enden ender er ere eren erin ern ers es est et n nen ner s st t te ten ter tes ung ungen",
  en: "able al ation ations d e ed er ers es ing ings ion ions ive ly ment ments or ors s y ied ies",
  es: "a aba aban acion aciones ada adas ado ador adores ados amiento amientos an ando ar aron as ase cion ciones e en er es ible ido ida idos idas iendo imiento ion iones ir o os s",
  fr: "a able age ages aient ait ant ante antes ants ateur ateurs ation ations e ee ees ement ements ent er es eur eurs euse euses ez ible ie ies ir ion ions is it ons s ssement t te tes u ue ues us",
  it: "a abile amento amenti ando are ata ate ati ato atore atori azione azioni e endo ere i ibile ione ioni ire ita ite iti ito o uta ute uti uto",
  nb: "a e en ene er ere es et ede ende ing ingen inger n ne r re s t te",
  nl: "d de den e en er ers es end ende ing ingen s t te ten",
  no: "a e en ene er ere es et ede ende ing ingen inger n ne r re s t te",
  pl: "a ac acja acje ach ami anie ania any e ego ej em enie enia eniu i ia ie iem iu o om ow owac owanie owania owany u y ych ym",
  pt: "a acao acoes ada adas ado ador adores ados amento amentos ando ar as cao coes e em endo er es ida idas ido idos imento indo ir o os s vel",
  ru: "а ам ами ах ание ания анию ать е ев ей ем ение ения ению и ие ий ия иям ить ировать ирование ка ки ку о ов ой ом ость ости у ую ы ый ые ых ь ю я ям ями ях",
  sv: "a an ar are arna as at ad ade e en er erna es et n na ning ningar ningen or orna r s t te",
  tr: "da dan de den i in la lar lari larin le ler leri lerin ma mak me mek nin un u ya ye yi",
  uk: "а ам ами ах ання е ей ем ення и ий ити і ів ії ій ія ка ки ку о ові ого ої ом ою у ування увати ти ь ю я ям ями ях",
};

/** The endings of a language, with none as the first. In a language without a list, those of English that only inflect. */
export function endingsOf(language: string): string[] {
  const list = ENDINGS[language] ?? "d ed es ing s";
  return ["", ...new Set(list.split(" ").map(folded))];
}
