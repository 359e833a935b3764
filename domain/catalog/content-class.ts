/** The content categories by which rankings and lists of models can be filtered. */
export const CONTENT_CATEGORIES = [
  'programming',
  'roleplay',
  'marketing',
  'marketing/seo',
  'technology',
  'science',
  'translation',
  'legal',
  'finance',
  'health',
  'trivia',
  'academia',
] as const;
export type ContentCategory = (typeof CONTENT_CATEGORIES)[number];

export const LANGUAGE_TYPES = ['natural', 'programming'] as const;

export interface ContentClass {
  /** Null if the text does not indicate a category. */
  category: ContentCategory | null;
  languageType: (typeof LANGUAGE_TYPES)[number];
}

/** The number of characters at the beginning of a prompt that are classified. */
export const CLASSIFIED_CHARACTERS = 4_096;

/**
 * Classifies a prompt by its words. The category with the most different words in the prompt wins; the earlier one wins
 * a tie. At least two words are needed, since one may be chance. The method is crude but explainable, and no text
 * leaves the process.
 */
export function classifyContent(text: string): ContentClass {
  const sample = text.slice(0, CLASSIFIED_CHARACTERS);
  const words = new Set(sample.toLowerCase().match(/[\p{L}\p{N}+#]+/gu));
  const languageType = looksLikeCode(sample) ? 'programming' : 'natural';
  let best: ContentCategory | null = null;
  let most = WORDS_NEEDED - 1;
  for (const [category, list] of CATEGORY_WORDS) {
    const found = countFound(words, list) + (category === 'programming' && languageType === category ? 1 : 0);
    if (found <= most) continue;
    most = found;
    best = category;
  }
  return { category: best, languageType };
}

const WORDS_NEEDED = 2;

function countFound(words: ReadonlySet<string>, list: readonly string[]): number {
  let found = 0;
  for (const word of list) if (words.has(word)) found += 1;
  return found;
}

const CODE_FENCE = /^\s*(?:```|~~~)/m;
/** Matches lines that look like code in the most common languages. */
const CODE_LINE = new RegExp(
  [
    String.raw`^\s*(?:import|from|export|const|let|var|def|class|func|fn|function|public|private|static|return|if|for|while|elif|else|try|except|catch|#include|package|using|async|await)\b.*(?:[;{}()=]|:$)`,
    String.raw`^\s*(?:select|insert|update|delete|create|alter|SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER)\s.*(?:\sfrom\s|\sinto\s|\sset\s|\stable\s|\sFROM\s|\sINTO\s|\sSET\s|\sTABLE\s)`,
    String.raw`^\s*[\w.$[\]]+\s*(?:=|\+=|:=)\s*\S`,
    String.raw`^\s*[{}()[\]]+[;,]?$`,
    String.raw`(?:;|\{|=>)$`,
  ].join('|'),
);
const CODE_SHARE = 0.4;

/** Returns whether the text contains fenced code, or has several lines of which many look like code. */
function looksLikeCode(text: string): boolean {
  if (CODE_FENCE.test(text)) return true;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length < 2) return false;
  const code = lines.filter((line) => line.length < 200 && CODE_LINE.test(line.trimEnd())).length;
  return code / lines.length >= CODE_SHARE;
}

const listOf = (words: string): readonly string[] => words.trim().split(/\s+/);

/** The words of each category. Narrower categories come before wider ones, because the first of a tie wins. */
const CATEGORY_WORDS: readonly [ContentCategory, readonly string[]][] = [
  ['translation', listOf('translate translated translation translator übersetze traduis traduire traduce')],
  [
    'marketing/seo',
    listOf('seo keyword keywords backlink backlinks serp ranking rankings meta snippet snippets alt sitemap'),
  ],
  [
    'programming',
    listOf(`code coding function bug debug compile compiler refactor typescript javascript python java rust golang
      c++ c# sql html css regex api endpoint stack trace exception algorithm unit tests git repository commit
      variable class method array async npm docker kubernetes`),
  ],
  [
    'roleplay',
    listOf(`roleplay rp character persona npc tavern whispers smirks chuckles narrator scene story protagonist
      villain dungeon quest wizard dragon stay`),
  ],
  [
    'legal',
    listOf(`legal law lawyer attorney contract clause liability court plaintiff defendant statute regulation
      compliance litigation jurisdiction indemnify nda gdpr tort lawsuit agreement`),
  ],
  [
    'finance',
    listOf(`finance financial stock stocks bond bonds portfolio dividend interest loan mortgage invest investment
      investor revenue profit tax taxes budget equity hedge inflation bank accounting ledger invoice`),
  ],
  [
    'health',
    listOf(`health medical medicine doctor patient patients symptom symptoms diagnosis treatment disease therapy
      drug dose dosage clinical blood vitamin diet nutrition pregnancy surgery pain infection`),
  ],
  [
    'marketing',
    listOf(`marketing brand branding campaign campaigns audience customers ad ads advertising slogan tagline copy
      newsletter conversion funnel engagement influencer landing promotion promotional launch`),
  ],
  [
    'academia',
    listOf(`thesis dissertation essay citation citations bibliography literature abstract peer journal professor
      university coursework exam lecture scholarly methodology apa mla footnote footnotes`),
  ],
  [
    'science',
    listOf(`science scientific physics chemistry biology molecule molecules atom atoms quantum protein proteins
      enzyme genome gene genes evolution experiment hypothesis theory energy particle planet planets star
      galaxy equation theorem relativity climate`),
  ],
  [
    'trivia',
    listOf(`trivia quiz riddle riddles capital fact facts fun famous oldest tallest longest largest smallest
      invented who year`),
  ],
  [
    'technology',
    listOf(`technology computer computers software hardware laptop phone smartphone internet network router wifi
      cloud server servers database cybersecurity encryption processor cpu gpu robot robots ai app device
      devices blockchain`),
  ],
];
