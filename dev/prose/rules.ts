/** A mechanical fault in a text: the rule that it breaks, and the words that break it. */
export interface ProseFault {
  rule: 'fragment' | 'no end' | 'long sentence' | 'word' | 'reference' | 'long line' | 'no header' | 'title';
  excerpt: string;
}

const LONGEST_FIRST_SENTENCE = 35;

const LONGEST_LINE = 120;

const URLS = /\bhttps?:\/\/\S+/g;

/** First words that refer to something without naming it. A doc comment never begins with one of these. */
const NEVER_FIRST = /^(as|from|how|not|of|the same|those|what|which|who|whoever|whom|whose|why|whether)\b/i;

/**
 * First words of a clause. A whole sentence may begin with one, but only when the clause ends with a comma ("When the
 * body is absent, returns…"). Without a comma the first sentence counts as a fragment ("In the order of arrival.").
 */
const NEEDS_A_COMMA =
  /^(after|also|among|at|before|beside|by|for|if|in|like|on|since|so that|such as|to|until|where|when|while|with|without)\b/i;

/**
 * Matches fragments with "Only", such as "Only for jobs." A sentence such as "Only the owner may call this." is whole
 * and does not match.
 */
const ONLY_FRAGMENT =
  /^only (after|as|at|by|for|from|if|in|of|on|those|to|until|what|when|where|who|with|without)\b/i;

/**
 * First words of a title that states no promise by itself: a passive without its subject, half a sentence, or a
 * condition.
 */
const NEVER_FIRST_IN_TITLE =
  /^(after|again|also|and|as|at|because|been|before|be|but|by|even|for|from|(?:has|have) been|in|is|are|not|of|on|or|still|than|that|to|too|was|were|what|when|where|which|while|who|whoever|whose|with|without)\b/i;

/** The last letter of a verb in the present, which a short title must have: "stays empty". */
const SHORT_TITLE_WITH_VERB = /[a-z]s\b/;

/** Parts of a title that come from the data of its cases, or from an expression of a template. */
const PLACEHOLDERS = /%[sdijpof#]|\$\w+|\bcode\b/g;

/** A passive of which only the data of a case tell the subject: "%s is refused". */
const PASSIVE_OF_DATA = /^(DATA )+(is|are|was|were)\b/;

/** First words of a title that begins with its subject. */
const SUBJECT_FIRST = /^(a|an|another|any|each|every|no|one|the|this|DATA)\b/;

/** Words that are not the main verb of a title: verbs of relative clauses, conditions, and nouns with a preposition. */
const BESIDE_THE_VERB = [
  /\b(that|which|who)\s+\w+/g,
  /\b(because|if|until|when)\b.*$/,
  /\b(at|by|for|from|in|of|on|to|with|without)\s+((the|an?|all|consecutive|its)\s+)?[\w'’]+/g,
];

/** A verb in the present: a common one, or a word in "s". Words in "ss", "us" and "is" are nouns. */
const VERB =
  /\b(are|become|can|cannot|come|count|do|does|end|get|go|goes|has|have|is|keep|may|must|stay|will|[a-z]+[^ius\W]s)\b/i;

/** Words that are unusual in the field, or that give a machine feelings. */
const FORBIDDEN_WORDS = [
  /\b(whoever|whatever|whom|whomever|wherever)\b/i,
  /\b(am|is|are|was|were|be|been|being) told\b/i,
  /\b(for ever|anew|be it|amiss|lest|naught|misdeeds?)\b/i,
  /\b(mend|mends|mended|mending)\b/i,
  /\b(heed|heeds|heeded|heeding)\b/i,
  /\b(hope|hopes|hoped|wish|wishes|wished)\b/i,
  /\b(patience|patient|patiently)\b/i,
  /\b(sprawl|sprawls|sprawling|tangle|tangles|tangled)\b/i,
];

/** Names of texts outside of the repository, which a reader cannot open. */
const LOST_REFERENCE =
  /§|\b(?:design|spec|wire):|\b(?:spec|wire|style|anchors|systems)\.md\b|(?<!docs\/|\.\/)\bdesign\.md\b/;

/**
 * Returns the faults in the text of a doc comment: those of its first sentence, then forbidden words and lost
 * references.
 */
export function findCommentFaults(text: string): ProseFault[] {
  const prose = withoutCode(text);
  return [...findFirstSentenceFaults(prose), ...findWordFaults(text)];
}

/** Returns the forbidden words and the lost references of a text. Code in backticks and URLs are skipped. */
export function findWordFaults(text: string): ProseFault[] {
  const prose = withoutCode(text).replace(URLS, 'link');
  const words = FORBIDDEN_WORDS.flatMap((pattern) => {
    const match = pattern.exec(prose);
    return match === null ? [] : [{ rule: 'word' as const, excerpt: match[0] }];
  });
  return [...words, ...findReferenceFaults(text)];
}

/**
 * Returns the faults in the title of a test, which states a promise by a verb in the present. Data of its cases count
 * as nouns.
 */
export function findTitleFaults(title: string): ProseFault[] {
  const excerpt = title.slice(0, 40);
  const text = title.replace(PLACEHOLDERS, 'DATA').trim();
  const isShort = text.split(/\s+/).length < 3;
  const statesNothing =
    NEVER_FIRST_IN_TITLE.test(text) ||
    PASSIVE_OF_DATA.test(text) ||
    (isShort && !SHORT_TITLE_WITH_VERB.test(text)) ||
    (SUBJECT_FIRST.test(text) && !VERB.test(withoutClauses(text)));
  return [...(statesNothing ? [{ rule: 'title' as const, excerpt }] : []), ...findWordFaults(title)];
}

function withoutClauses(title: string): string {
  return BESIDE_THE_VERB.reduce((text, words) => text.replace(words, ''), title);
}

/** Returns the references to texts outside of the repository, in backticks or not. */
export function findReferenceFaults(text: string): ProseFault[] {
  const match = LOST_REFERENCE.exec(text);
  if (match === null) return [];
  return [{ rule: 'reference', excerpt: text.slice(match.index, match.index + 40).split('\n')[0] ?? '' }];
}

/** Returns a fault if a line of a comment is too long. The characters of URLs do not count: a URL cannot be wrapped. */
export function findLineFaults(line: string): ProseFault[] {
  if (line.replace(URLS, '').length <= LONGEST_LINE) return [];
  return [{ rule: 'long line', excerpt: `${line.trim().slice(0, 60)}…` }];
}

function findFirstSentenceFaults(prose: string): ProseFault[] {
  const [paragraph = ''] = prose.trim().split(/\n\s*\n/);
  if (paragraph === '') return [];
  const flat = paragraph.replace(/\s+/g, ' ');
  const sentence = firstSentence(flat);
  const excerpt = (sentence ?? flat).slice(0, 100);
  const faults: ProseFault[] = [];
  if (isFragment(sentence ?? flat)) faults.push({ rule: 'fragment', excerpt });
  if (sentence === undefined) faults.push({ rule: 'no end', excerpt });
  else if (sentence.split(' ').length > LONGEST_FIRST_SENTENCE)
    faults.push({ rule: 'long sentence', excerpt });
  return faults;
}

function isFragment(sentence: string): boolean {
  if (NEVER_FIRST.test(sentence) || ONLY_FRAGMENT.test(sentence)) return true;
  return NEEDS_A_COMMA.test(sentence) && !/[,:]/.test(sentence);
}

/**
 * Returns the first sentence, which ends at a full stop, question mark or colon before a space. A colon ends it because
 * a list may follow.
 */
function firstSentence(flat: string): string | undefined {
  const withoutAbbreviations = flat.replace(/\b(e\.g|i\.e|vs|etc|approx|no)\. /gi, (found) =>
    found.replaceAll('.', '․'),
  );
  const match =
    /^.*?[.!?]["”)]*(?= |$)/.exec(withoutAbbreviations) ?? /^.*?:(?= |$)/.exec(withoutAbbreviations);
  return match?.[0];
}

/** Replaces code in backticks by a plain word, so that the rules ignore words and full stops inside code. */
function withoutCode(text: string): string {
  return text.replace(/```[\s\S]*?```/g, '').replace(/`[^`]*`/g, 'code');
}
