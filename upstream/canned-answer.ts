/** A precomputed answer. */
export interface CannedAnswer {
  headers: Record<string, string>;
  body: Buffer;
}

export interface CannedAnswers {
  /** The target that the log shows. */
  target: 'chat' | 'images' | 'speech';
  /** Returns the precomputed answer if the body names the canned model and no fault. */
  answerTo(body: Buffer): CannedAnswer | undefined;
}

const FAULTS_MARK = Buffer.from('"faults"');
export const IF_STREAMED = marksOf('stream', 'true');

/**
 * Creates the canned answers: one for requests with a mark, and the usual one. Requests are searched for two byte
 * sequences instead of parsing their JSON. A match is never within a string, where the quotes would be escaped. JSON in
 * another format is parsed as usual.
 */
export function createCannedAnswers(
  target: CannedAnswers['target'],
  model: string,
  answers: { usual: CannedAnswer; marks: readonly Buffer[]; marked: CannedAnswer },
): CannedAnswers {
  const modelMarks = marksOf('model', `"${model}"`);
  return {
    target,
    answerTo(body) {
      if (!holdsAny(body, modelMarks) || body.includes(FAULTS_MARK)) return undefined;
      return holdsAny(body, answers.marks) ? answers.marked : answers.usual;
    },
  };
}

export function toCannedAnswer(contentType: string, body: Buffer): CannedAnswer {
  return { headers: { 'content-type': contentType, 'content-length': `${body.length}` }, body };
}

/** Returns a field as clients write it, with and without a space. */
export function marksOf(name: string, value: string): Buffer[] {
  return [`"${name}":${value}`, `"${name}": ${value}`].map((text) => Buffer.from(text));
}

function holdsAny(body: Buffer, marks: readonly Buffer[]): boolean {
  return marks.some((mark) => body.includes(mark));
}
