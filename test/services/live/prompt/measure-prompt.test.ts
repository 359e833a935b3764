import { describe, expect, test } from '@jest/globals';
import { measurePrompt } from '../../../../services/live/prompt/measure-prompt.ts';
import type { PromptFacts } from '../../../../services/live/prompt/prompt-facts.ts';

/** Three hundred bytes. */
const BASE64 = 'A'.repeat(400);
/** A hundred tokens. */
const TEXT = 'abcd'.repeat(100);

const ofPart = (part: object): PromptFacts => measurePrompt({ messages: [{ content: [part] }] });

interface WaveHeader {
  tag?: number;
  byteRate?: number;
  sampleRate?: number;
  blockAlign?: number;
}

/** Returns base64 of a WAV file with that many bytes after its header. */
function wave({ tag = 1, byteRate = 48_000, ...fields }: WaveHeader, bytes: number): string {
  const { sampleRate = byteRate / 2, blockAlign = 2 } = fields;
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt16LE(tag, 20);
  head.writeUInt32LE(sampleRate, 24);
  head.writeUInt32LE(byteRate, 28);
  head.writeUInt16LE(blockAlign, 32);
  return Buffer.concat([head, Buffer.alloc(bytes - 44)]).toString('base64');
}

/** Returns base64 of that many bytes with this beginning. */
function ofHead(start: string, bytes: number): string {
  const sound = Buffer.alloc(bytes);
  sound.write(start, 'latin1');
  return sound.toString('base64');
}

describe('a file in a prompt', () => {
  const file = (fields: object) => ofPart({ type: 'file', file: fields });
  const inputFile = (fields: object) =>
    measurePrompt({ input: [{ content: [{ type: 'input_file', ...fields }] }] });
  const document = (source: object) => ofPart({ type: 'document', source });

  test.each<[string, PromptFacts, number]>([
    ['of a chat', file({ file_data: BASE64 }), 75],
    ['of a chat, by a URL', file({ file_data: 'https://files.example/a.pdf' }), Infinity],
    ['of a chat, by an id', file({ file_id: 'file-1' }), Infinity],
    ['of a responses request', inputFile({ file_data: BASE64 }), 75],
    ['of a responses request, by a URL', inputFile({ file_url: 'https://files.example/a.pdf' }), Infinity],
    ['of a message', document({ type: 'base64', data: BASE64 }), 75],
    ['of a message, by a URL', document({ type: 'url', url: 'https://files.example/a.pdf' }), Infinity],
  ])(
    'reserves a quarter of its bytes in tokens, or a whole context: %s',
    (_, { reserved, modalities }, tokens) => {
      expect([reserved.media, modalities]).toEqual([tokens, ['text', 'file']]);
    },
  );

  test.each<[string, object]>([
    ['text', { type: 'text', data: TEXT }],
    ['blocks', { type: 'content', content: [{ type: 'text', text: TEXT }] }],
  ])('counts as text when its source is %s', (_, source) => {
    expect(document(source)).toMatchObject({ estimatedTokens: 104, reserved: { media: 0 } });
  });
});

describe('audio in a prompt', () => {
  const sound = (data: string, format: string) =>
    ofPart({ type: 'input_audio', input_audio: { data, format } });

  test.each<[string, string, string, number, number]>([
    ['WAV counts by the seconds of its header', wave({}, 96_000), 'wav', 64, 64],
    ['WAV of floats counts by its seconds', wave({ tag: 3 }, 96_000), 'wav', 64, 64],
    ['WAV with an extensible header counts by its seconds', wave({ tag: 0xfffe }, 96_000), 'wav', 64, 64],
    ['compressed WAV reserves by its bytes', wave({ tag: 0x55, blockAlign: 1_152 }, 24_000), 'wav', 96, 768],
    ['WAV counts by the lower of its two rates', wave({ blockAlign: 1_000 }, 96_000), 'wav', 64, 64],
    [
      'WAV counts by the lower of its rates',
      wave({ byteRate: 480_000, sampleRate: 24_000 }, 96_000),
      'wav',
      64,
      64,
    ],
    ['raw PCM counts at 48,000 bytes a second', Buffer.alloc(48_000).toString('base64'), 'pcm16', 32, 32],
    ['MP3 counts at a usual bit rate, and reserves the lowest', 'A'.repeat(32_000), 'mp3', 96, 768],
    [
      'WAV with a header that is too slow reserves by its bytes',
      wave({ byteRate: 10 }, 24_000),
      'wav',
      96,
      768,
    ],
    ['MP3 that claims to be raw reserves by its bytes', ofHead('ID3', 24_000), 'pcm16', 96, 768],
    [
      'MP3 without tags that claims to be raw reserves by its bytes',
      ofHead('\xff\xfb\x90', 24_000),
      'pcm16',
      96,
      768,
    ],
    ['Ogg that claims to be raw reserves by its bytes', ofHead('OggS', 24_000), 'g711_ulaw', 96, 768],
    ['MP4 that claims to be raw reserves by its bytes', ofHead('\0\0\0\x20ftyp', 24_000), 'pcm16', 96, 768],
    ['WAV that claims to be raw counts by its header', wave({ byteRate: 8_000 }, 24_000), 'pcm16', 96, 96],
  ])('has an estimate and a reserve: %s', (_, data, format, usual, reserved) => {
    const facts = sound(data, format);
    expect([facts.estimatedAudio, facts.reserved.audio]).toEqual([usual, reserved]);
    expect(facts.modalities).toEqual(['text', 'audio']);
  });

  test('reserves a whole context when the request has only its URL', () => {
    expect(ofPart({ type: 'audio', audio_url: 'https://a.example/b.mp3' }).reserved.audio).toBe(Infinity);
  });
});

test.each<[string, object]>([
  ['a document', { type: 'document_url', document_url: 'https://a.example/b' }],
  ['a video', { type: 'video', video: 'https://a.example/b' }],
  ['the pictures of a video', { type: 'video', video: ['https://a.example/b'] }],
  ['a new kind of part', { type: 'new', clip: 'https://a.example/b' }],
])('the URL of %s reserves a whole context', (_, part) => {
  const { reserved, mostTokens } = ofPart(part);
  expect([reserved.media, mostTokens]).toEqual([Infinity, Infinity]);
});

describe('the estimated and the reserved tokens', () => {
  const empty = measurePrompt({ messages: [{ role: 'user', content: '' }] });
  const above = ({ estimatedTokens, reserved }: PromptFacts) => [
    estimatedTokens - empty.estimatedTokens,
    reserved.text - empty.reserved.text,
  ];
  const message = (fields: object) => measurePrompt({ messages: [{ role: 'user', content: '', ...fields }] });

  test.each<[string, PromptFacts]>([
    [
      'the schema of an answer',
      measurePrompt({ messages: [{ role: 'user', content: '' }], response_format: TEXT }),
    ],
    [
      'a new field of the request',
      measurePrompt({ messages: [{ role: 'user', content: '' }], tomorrow: TEXT }),
    ],
    ['a name', message({ name: TEXT })],
    ['a new field of a message', message({ tomorrow: TEXT })],
    ['a new kind of part', message({ content: [{ type: 'new', body: { deep: TEXT } }] })],
    [
      'a picture that is none',
      message({ content: [{ type: 'image_url', image_url: `a picture of ${TEXT}` }] }),
    ],
  ])('both count %s', (_, facts) => {
    const [read, reserved] = above(facts);
    expect(read).toBeGreaterThanOrEqual(100);
    expect(reserved).toBeGreaterThanOrEqual(100);
  });

  test.each<[string, PromptFacts]>([
    ['metadata', measurePrompt({ messages: [{ role: 'user', content: '' }], metadata: { a: TEXT } })],
    ['the id of a call', message({ tool_call_id: TEXT })],
    ['the id of a call by the model', message({ tool_calls: [{ id: TEXT }] })],
    ['a signature', message({ content: [{ type: 'thinking', thinking: '', signature: TEXT }] })],
  ])('only the reservation counts %s', (_, facts) => {
    const [read, reserved] = above(facts);
    expect(read).toBe(0);
    expect(reserved).toBeGreaterThanOrEqual(100);
  });

  test('both count arguments and schemas with fields named like ids', () => {
    const use = {
      type: 'tool_use',
      id: 'a',
      name: 'f',
      input: { id: TEXT, source: { type: 'url', url: TEXT } },
    };
    expect(message({ content: [use] }).estimatedTokens).toBeGreaterThan(200);
    const tools = [{ name: 'f', input_schema: { properties: { id: { description: TEXT } } } }];
    expect(measurePrompt({ messages: [], tools }).estimatedTokens).toBeGreaterThan(100);
  });
});

test('a part with media and text counts as both', () => {
  const file = { type: 'file', text: '', file: { file_data: BASE64 } };
  const image = { type: 'image_url', text: 'abcd', image_url: { url: 'data:,' } };
  const { estimatedTokens, reserved, images } = measurePrompt({ messages: [{ content: [file, image] }] });
  expect([estimatedTokens, reserved.media, images]).toEqual([1_080, 75, 1]);
});

test('the greatest count has a token for each byte', () => {
  const { mostTokens } = measurePrompt({ messages: [{ role: 'user', content: 'é'.repeat(500) }] });
  expect(mostTokens).toBeGreaterThanOrEqual(1_000);
});

test.each<[object | undefined, string]>([
  [undefined, 'none'],
  [{ type: 'ephemeral' }, 'minutes'],
  [{ type: 'ephemeral', ttl: '1h' }, 'hour'],
])('the cache marker %j of a part sets cacheWrite to %s', (marker, cacheWrite) => {
  const part = { type: 'text', text: 'Hi', ...(marker && { cache_control: marker }) };
  expect(ofPart(part).cacheWrite).toBe(cacheWrite);
});

test.each<[unknown, boolean]>([
  [{ edits: [{ type: 'clear_tool_uses_20250919' }, { type: 'compact_20260112' }] }, true],
  [[{ type: 'compaction', compact_threshold: 1_000 }], true],
  [{ edits: [{ type: 'clear_thinking_20251015' }, null] }, false],
  [{ edits: 'compact' }, false],
  [null, false],
])('context_management %j says whether a conversation may be compacted: %j', (management, mayBeCompacted) => {
  const fields = { messages: [{ role: 'user', content: 'Hi' }], context_management: management };
  expect(measurePrompt(fields).mayBeCompacted).toBe(mayBeCompacted);
});
