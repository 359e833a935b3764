import { describe, expect, test } from '@jest/globals';
import { measurePrompt } from '../../../../services/live/prompt/measure-prompt.ts';
import { urlsIn } from '../../../../services/live/urls/url-places.ts';

const URL = 'https://media.example/a';

/** Finds the URLs of one message's content. */
function foundIn(...content: object[]): [path: string, kind: string][] {
  const body = { messages: [{ role: 'user', content }] };
  const places = urlsIn(body, measurePrompt(body), ['messages']) ?? [];
  return places.map(({ path, kind }) => [path.slice(3).join('.'), kind]);
}

describe('the places of URLs', () => {
  test.each<[string, object, string, string]>([
    ['of a picture in a chat', { type: 'image_url', image_url: { url: URL } }, '0.image_url.url', 'image'],
    ['of a video in a chat', { type: 'video_url', video_url: { url: URL } }, '0.video_url.url', 'video'],
    ['of sound in a chat', { type: 'audio_url', audio_url: { url: URL } }, '0.audio_url.url', 'audio'],
    ['of a file in a chat', { type: 'file', file: { file_url: URL } }, '0.file.file_url', 'file'],
    [
      'in the bytes of sound',
      { type: 'input_audio', input_audio: { data: URL, format: 'mp3' } },
      '0.input_audio.data',
      'audio',
    ],
    ['in the bytes of a file', { type: 'file', file: { file_data: URL } }, '0.file.file_data', 'file'],
    ['of a picture in a response', { type: 'input_image', image_url: URL }, '0.image_url', 'image'],
    ['of a video in a response', { type: 'input_video', video_url: URL }, '0.video_url', 'video'],
    ['of a document', { type: 'document_url', document_url: URL }, '0.document_url', 'file'],
    ['of a document beside a text', { type: 'text', text: '', document_url: URL }, '0.document_url', 'file'],
    ['of a picture for Qwen', { type: 'image', image: URL }, '0.image', 'image'],
    ['of sound for Qwen', { type: 'audio', audio: URL }, '0.audio', 'audio'],
    ['of a video for Qwen', { type: 'video', video: URL }, '0.video', 'video'],
    ['of a picture of a video for Qwen', { type: 'video', video: ['data:,', URL] }, '0.video.1', 'video'],
    ['of a video in an object', { type: 'video', video: { url: URL } }, '0.video.url', 'video'],
    ['in the bytes of a file in a response', { type: 'input_file', file_data: URL }, '0.file_data', 'file'],
    ['of sound without a format', { type: 'input_audio', input_audio: URL }, '0.input_audio', 'audio'],
    ['of a file in a response', { type: 'input_file', file_url: URL }, '0.file_url', 'file'],
    [
      'of a picture in a message',
      { type: 'image', source: { type: 'url', url: URL } },
      '0.source.url',
      'image',
    ],
    ['of a document', { type: 'document', source: { type: 'url', url: URL } }, '0.source.url', 'file'],
    [
      'in the result of a tool',
      { type: 'tool_result', content: [{ type: 'image', source: { type: 'url', url: URL } }] },
      '0.content.0.source.url',
      'image',
    ],
    [
      'in a document made of blocks',
      {
        type: 'document',
        source: { type: 'content', content: [{ type: 'image', source: { type: 'url', url: URL } }] },
      },
      '0.source.content.0.source.url',
      'image',
    ],
    ['in a part of an unknown type', { type: 'x', uuid: '1', image_url: URL }, '0.image_url', 'image'],
    [
      'with another scheme',
      { type: 'image_url', image_url: { url: 'file:///etc/passwd' } },
      '0.image_url.url',
      'image',
    ],
    [
      'without a scheme',
      { type: 'image_url', image_url: { url: '/etc/passwd' } },
      '0.image_url.url',
      'image',
    ],
  ])('include a URL %s', (_what, part, path, kind) => {
    expect(foundIn(part)).toEqual([[path, kind]]);
  });

  test('include the outputs of functions, in a list or as one part', () => {
    const input = [
      { type: 'function_call_output', output: [{ type: 'input_image', image_url: URL }] },
      { type: 'computer_call_output', output: { type: 'computer_screenshot', image_url: URL } },
    ];
    const prompt = measurePrompt({ input: input });
    expect(urlsIn({ input }, prompt, ['input'])?.map(({ path }) => path.join('.'))).toEqual([
      'input.0.output.0.image_url',
      'input.1.output.image_url',
    ]);
  });

  test('include the result of an image_generation_call', () => {
    const input = [{ type: 'image_generation_call', result: URL }];
    const places = urlsIn({ input }, measurePrompt({ input: input }), ['input']);
    expect(places).toEqual([{ path: ['input', 0, 'result'], url: URL, kind: 'image' }]);
  });

  test('include the images beside a message', () => {
    const messages = [{ content: 'Hi', images: [{ type: 'image_url', image_url: { url: URL } }] }];
    const places = urlsIn({ messages }, measurePrompt({ messages: messages }), ['messages']);
    expect(places?.map(({ path }) => path.join('.'))).toEqual(['messages.0.images.0.image_url.url']);
  });

  test('include options for one provider, whose fields the body lacks', () => {
    const system = [{ type: 'image', source: { type: 'url', url: URL } }];
    const provider = { options: { local: { system, messages: system } } };
    const places = urlsIn({ messages: [], provider }, { hasMedia: false }, ['messages', 'system']);
    expect(places?.map(({ path }) => path.join('.'))).toEqual(['provider.options.local.system.0.source.url']);
  });
});

describe('a part without a media URL', () => {
  test.each<[string, object]>([
    ['in a data URL', { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
    ['in a data URL in capitals', { type: 'image_url', image_url: { url: ' DATA:image/png;base64,AAAA' } }],
    ['in base64', { type: 'file', file: { file_data: 'AAAA/BBB+C==' } }],
    ['in a picture that a model made', { type: 'image_generation_call', result: 'AAAA/BBB+C==' }],
    ['in text', { type: 'text', text: URL }],
    ['in the arguments of a tool', { type: 'tool_use', id: 'a', name: 'b', input: { image_url: URL } }],
    ['in a source of bytes', { type: 'image', source: { type: 'base64', data: 'AAAA', url: URL } }],
    ['in what is no text', { type: 'image_url', image_url: { url: 7 } }],
  ])('yields no place: %s', (_what, part) => {
    expect(foundIn(part)).toEqual([]);
  });
});

describe('hasMedia', () => {
  const picture = { type: 'image_url', image_url: { url: URL } };
  const block = { type: 'document', source: { type: 'url', url: URL } };
  test.each([
    ['in a chat', measurePrompt({ messages: [{ content: [picture] }] })],
    [
      'in a chat beside a text of its own',
      measurePrompt({ messages: [{ content: [{ ...picture, text: 'a' }] }] }),
    ],
    ['in embeddings', measurePrompt({ input: [{ content: [picture] }] })],
    ['in a response', measurePrompt({ input: [{ content: [{ type: 'input_file', file_url: URL }] }] })],
    ['in a message', measurePrompt({ messages: [{ content: [block] }] })],
    [
      'in what a tool answered',
      measurePrompt({ messages: [{ content: [{ type: 'tool_result', content: [block] }] }] }),
    ],
    ['in the system prompt of a message', measurePrompt({ messages: [], system: [block] })],
    ['in a new field of a part', measurePrompt({ messages: [{ content: [{ type: 'new', clip: URL }] }] })],
    ['in a list in a new field', measurePrompt({ messages: [{ content: [{ type: 'new', clips: [URL] }] }] })],
    ['in a new field of a message', measurePrompt({ messages: [{ content: 'Hi', clip: URL }] })],
  ])('becomes true for media %s', (_where, prompt) => {
    expect(prompt.hasMedia).toBe(true);
  });

  test.each([
    ['a chat', measurePrompt({ messages: [{ content: 'Hi' }, { content: [{ type: 'text', text: URL }] }] })],
    ['embeddings', measurePrompt({ input: ['Hi'] })],
    [
      'a response',
      measurePrompt({ input: [{ content: [{ type: 'input_text', text: URL }] }], instructions: 'Hi' }),
    ],
    ['a message', measurePrompt({ messages: [{ content: [{ type: 'text', text: URL }] }], system: 'Hi' })],
    [
      'the result of a search',
      measurePrompt({ messages: [{ content: [{ type: 'search_result', source: URL }] }] }),
    ],
    ['the input of a tool', measurePrompt({ input: [{ type: 'custom_tool_call', name: 'f', input: URL }] })],
  ])('stays false for the text of %s', (_what, prompt) => {
    expect(prompt.hasMedia).toBe(false);
  });
});

test('urlsIn does not read the fields of a prompt without media', () => {
  const body = {};
  Object.defineProperty(body, 'messages', {
    get() {
      throw new Error('looked at');
    },
  });
  expect(urlsIn(body, { hasMedia: false }, ['messages'])).toBeUndefined();
});
