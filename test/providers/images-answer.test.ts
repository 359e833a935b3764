import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createImagesReader } from '../../providers/openai-compatible/images-reader.ts';
import { parseImages, readImages, toUsage } from '../../providers/openai-compatible/images-answer.ts';

const note = () => {};
const fetchPicture = async (url: string) => ({ b64Json: Buffer.from(url).toString('base64') });
const read = async (text: string) =>
  readImages(parseImages(Buffer.from(text), []), { n: 10, outputFormat: 'png' }, { note, fetchPicture });

describe('an answer with pictures', () => {
  test('gives its pictures, regardless of other fields', async () => {
    const words = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer()));
    const picture = fc.base64String({ minLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(picture, { minLength: 1, maxLength: 10 }),
        words,
        fc.string(),
        async (pictures, more, said) => {
          const data = pictures.map((b64) => ({ revised_prompt: said, b64_json: b64, more }));
          const { images } = await read(JSON.stringify({ created: 1, note: '"b64_json":"x"', data }));
          expect(images.map(({ b64Json }) => String(b64Json))).toEqual(pictures);
        },
      ),
    );
  });

  test.each([
    ['nothing', '{}'],
    ['no list', '{"data":{"b64_json":"AAAA"}}'],
    ['an empty list', '{"data":[]}'],
    ['null', '{"data":[{"b64_json":null}]}'],
    ['an empty picture', '{"data":[{"b64_json":""}]}'],
    ['an empty picture and an empty URL', '{"data":[{"b64_json":"","url":""}]}'],
    ['an empty data URL', '{"data":[{"b64_json":"data:image/png;base64,"}]}'],
    ['what is no base64', String.raw`{"data":[{"b64_json":"a\u0022b"}]}`],
    ['no object', '[]'],
  ])('fails as invalid_response with %s', async (_what, text) => {
    await expect(read(text)).rejects.toMatchObject({ code: 'invalid_response' });
  });

  test.each(['""', 'null'])('gets a picture by URL when the base64 is %s', async (empty) => {
    const url = 'https://vendor.example/1.png';
    const { images } = await read(
      `{"data":[{"b64_json":${empty},"url":"${url}"},{"b64_json":"AAAA","url":"${url}"}]}`,
    );
    expect(images.map(({ b64Json }) => String(b64Json))).toEqual([
      Buffer.from(url).toString('base64'),
      'AAAA',
    ]);
  });

  test.each<[string, object]>([
    ['data:image/jpeg;base64,AAAA', { mediaType: 'image/jpeg' }],
    ['data:image/png;base64,AAAA', {}],
    ['data:image/webp;name=a.webp;base64,AAAA', { mediaType: 'image/webp' }],
    [String.raw`data:image\/jpeg;base64,AA\nAA`, { mediaType: 'image/jpeg' }],
  ])('unpacks a data URL: %s', async (url, more) => {
    const { images } = await read(`{"output_format":"png","data":[{"b64_json":"${url}"}]}`);
    expect(images.map((image) => ({ ...image, b64Json: String(image.b64Json) }))).toEqual([
      { b64Json: 'AAAA', ...more },
    ]);
    const reader = createImagesReader({ n: 1, outputFormat: 'png' }, note);
    const eventOf = (kind: string) =>
      reader.read({ type: '', data: `{"type":"image_generation.${kind}","b64_json":"${url}"}` }, []);
    expect(eventOf('partial_image')).toMatchObject({ type: 'partial', b64Json: 'AAAA' });
    expect(eventOf('completed')).toEqual({
      type: 'completed',
      imageIndex: 0,
      image: { b64Json: 'AAAA', ...more },
    });
  });

  test.each(['{"data":[{"b64_json":"AAAA', '{"data":[{"b64_json":"AAAA"}', ''])(
    'throws a SyntaxError when cut off: %s',
    (text) => {
      expect(() => parseImages(Buffer.from(text), [])).toThrow(SyntaxError);
    },
  );
});

describe('toUsage', () => {
  test('counts output tokens as image tokens unless the details say otherwise', () => {
    expect(toUsage({ input_tokens: 1, output_tokens: 2 }, note)).toMatchObject({
      prompt_tokens: 1,
      completion_tokens: 2,
      completion_tokens_details: { image_tokens: 2 },
    });
    const output_tokens_details = { image_tokens: 1, text_tokens: 1 };
    expect(toUsage({ input_tokens: 1, output_tokens: 2, output_tokens_details }, note)).toMatchObject({
      completion_tokens_details: output_tokens_details,
    });
  });

  test.each([undefined, null, 'many', {}, { input_tokens: -1, output_tokens: 1 }, { input_tokens: 1.5 }])(
    'returns undefined for an invalid count: %j',
    (told) => {
      expect(toUsage(told, note)).toBeUndefined();
    },
  );
});
