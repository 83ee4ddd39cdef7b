// Writes properties.txt.gz: the code points of every Unicode property that a
// regular expression may name, as Node's own engine has them. A line is a
// property's names, then its ranges: each number is the distance from the one
// before, first to where a range begins, then to behind its end.
//
//	node properties.mjs
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const LAST = 0x10ffff;

function ranges(expression) {
  const out = [];
  let inside = false;
  let last = 0;
  for (let c = 0; c <= LAST + 1; c++) {
    const now = c <= LAST && expression.test(String.fromCodePoint(c));
    if (now !== inside) {
      out.push((c - last).toString(36));
      last = c;
      inside = now;
    }
  }
  return out.join(' ');
}

const binary = `ASCII_Hex_Digit:AHex Alphabetic:Alpha Bidi_Control:Bidi_C Bidi_Mirrored:Bidi_M Case_Ignorable:CI Cased
Changes_When_Casefolded:CWCF Changes_When_Casemapped:CWCM Changes_When_Lowercased:CWL Changes_When_NFKC_Casefolded:CWKCF
Changes_When_Titlecased:CWT Changes_When_Uppercased:CWU Dash Default_Ignorable_Code_Point:DI Deprecated:Dep Diacritic:Dia Emoji
Emoji_Component:EComp Emoji_Modifier:EMod Emoji_Modifier_Base:EBase Emoji_Presentation:EPres Extended_Pictographic:ExtPict Extender:Ext
Grapheme_Base:Gr_Base Grapheme_Extend:Gr_Ext Hex_Digit:Hex IDS_Binary_Operator:IDSB IDS_Trinary_Operator:IDST ID_Continue:IDC ID_Start:IDS
Ideographic:Ideo Join_Control:Join_C Logical_Order_Exception:LOE Lowercase:Lower Math Noncharacter_Code_Point:NChar Pattern_Syntax:Pat_Syn
Pattern_White_Space:Pat_WS Quotation_Mark:QMark Radical Regional_Indicator:RI Sentence_Terminal:STerm Soft_Dotted:SD Terminal_Punctuation:Term
Unified_Ideograph:UIdeo Uppercase:Upper Variation_Selector:VS White_Space:space XID_Continue:XIDC XID_Start:XIDS`;

const categories = `Cased_Letter:LC Close_Punctuation:Pe Connector_Punctuation:Pc Control:Cc:cntrl Currency_Symbol:Sc Dash_Punctuation:Pd
Decimal_Number:Nd:digit Enclosing_Mark:Me Final_Punctuation:Pf Format:Cf Initial_Punctuation:Pi Letter:L Letter_Number:Nl Line_Separator:Zl
Lowercase_Letter:Ll Mark:M:Combining_Mark Math_Symbol:Sm Modifier_Letter:Lm Modifier_Symbol:Sk Nonspacing_Mark:Mn Number:N Open_Punctuation:Ps
Other:C Other_Letter:Lo Other_Number:No Other_Punctuation:Po Other_Symbol:So Paragraph_Separator:Zp Private_Use:Co Punctuation:P:punct
Separator:Z Space_Separator:Zs Spacing_Mark:Mc Surrogate:Cs Symbol:S Titlecase_Letter:Lt Unassigned:Cn Uppercase_Letter:Lu`;

const scripts = `Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali Beria_Erfe Bhaiksuki Bopomofo
Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma Cham Cherokee Chorasmian Common Coptic Cuneiform Cypriot
Cypro_Minoan Cyrillic Deseret Devanagari Dives_Akuru Dogra Duployan Egyptian_Hieroglyphs Elbasan Elymaic Ethiopic Garay Georgian Glagolitic
Gothic Grantha Greek Gujarati Gunjala_Gondi Gurmukhi Gurung_Khema Han Hangul Hanifi_Rohingya Hanunoo Hatran Hebrew Hiragana Imperial_Aramaic
Inherited Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Kannada Katakana Kawi Kayah_Li Kharoshthi Khitan_Small_Script Khmer
Khojki Khudawadi Kirat_Rai Lao Latin Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian Mahajani Makasar Malayalam Mandaic Manichaean Marchen
Masaram_Gondi Medefaidrin Meetei_Mayek Mende_Kikakui Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi Mongolian Mro Multani Myanmar Nabataean
Nag_Mundari Nandinagari New_Tai_Lue Newa Nko Nushu Nyiakeng_Puachue_Hmong Ogham Ol_Chiki Ol_Onal Old_Hungarian Old_Italic Old_North_Arabian
Old_Permic Old_Persian Old_Sogdian Old_South_Arabian Old_Turkic Old_Uyghur Oriya Osage Osmanya Pahawh_Hmong Palmyrene Pau_Cin_Hau Phags_Pa
Phoenician Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham Sidetic SignWriting Sinhala Sogdian Sora_Sompeng Soyombo
Sundanese Sunuwar Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet Tai_Yo Takri Tamil Tangsa Tangut Telugu Thaana Thai Tibetan
Tifinagh Tirhuta Todhri Tolong_Siki Toto Tulu_Tigalari Ugaritic Unknown Vai Vithkuqi Wancho Warang_Citi Yezidi Yi Zanabazar_Square`;

const valid = (name) => {
  try {
    return new RegExp(`\\p{${name}}`, 'u');
  } catch {}
};

// The codes of scripts, by trying all of four letters.
const codes = new Map();
const letters = 'abcdefghijklmnopqrstuvwxyz';
for (const a of letters)
  for (const b of letters)
    for (const c of letters)
      for (const d of letters) {
        const code = a.toUpperCase() + b + c + d;
        const e = valid(`Script=${code}`);
        if (!e) continue;
        const r = ranges(e);
        codes.set(r, [...(codes.get(r) ?? []), code]);
      }

const lines = [];
const add = (names, expression) => {
  if (expression) lines.push(`${names.join(',')} ${ranges(expression)}`);
  else console.error('not known here:', names[0]);
};
for (const names of binary.split(/\s+/)) add(names.split(':'), valid(names.split(':')[0]));
for (const names of categories.split(/\s+/)) add(names.split(':').map((n) => `gc=${n}`), valid(names.split(':')[0]));
for (const name of scripts.split(/\s+/)) {
  const e = valid(`Script=${name}`);
  const aliases = e ? (codes.get(ranges(e)) ?? []).filter((c) => c !== name) : [];
  add([name, ...aliases].map((n) => `sc=${n}`), e);
  add([name, ...aliases].map((n) => `scx=${n}`), valid(`Script_Extensions=${name}`));
}
lines.unshift(`version=${process.versions.unicode}`);
writeFileSync(new URL('properties.txt.gz', import.meta.url), gzipSync(lines.join('\n') + '\n', { level: 9 }));
