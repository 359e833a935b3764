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
const STREAM_MARKS = marksOf('stream', 'true');

/**
 * Creates the canned answers. Requests are searched for two byte sequences instead of parsing their JSON. A match is
 * never within a string, where the quotes would be escaped. JSON in another format is parsed as usual.
 */
export function createCannedAnswers(
  target: CannedAnswers['target'],
  model: string,
  answers: { whole: CannedAnswer; streamed: CannedAnswer },
): CannedAnswers {
  const modelMarks = marksOf('model', `"${model}"`);
  return {
    target,
    answerTo(body) {
      if (!holdsAny(body, modelMarks) || holdsFaults(body)) return undefined;
      return holdsAny(body, STREAM_MARKS) ? answers.streamed : answers.whole;
    },
  };
}

export function toCannedAnswer(contentType: string, body: Buffer): CannedAnswer {
  return { headers: { 'content-type': contentType, 'content-length': `${body.length}` }, body };
}

export function holdsFaults(body: Buffer): boolean {
  return body.includes(FAULTS_MARK);
}

/** Returns a field as clients write it, with and without a space. */
export function marksOf(name: string, value: string): Buffer[] {
  return [`"${name}":${value}`, `"${name}": ${value}`].map((text) => Buffer.from(text));
}

export function holdsAny(body: Buffer, marks: readonly Buffer[]): boolean {
  return marks.some((mark) => body.includes(mark));
}
