import { expect, test } from '@jest/globals';
import { urlsIn } from '../../../../services/live/urls/url-places.ts';
import { withMedia } from '../../../../services/live/urls/with-media.ts';

const URL = 'https://media.example/papers/report.pdf?version=2';
const DATA = 'data:application/pdf;base64,AAAA';

/** Puts media in place of the URL of one part, which must be the only one. */
function inlined(part: object): object {
  const body = { messages: [{ content: 'Hi' }, { content: [{ type: 'text', text: 'a' }, part] }] };
  const before = structuredClone(body);
  const places = urlsIn(body, { hasMedia: true }, ['messages'])!;
  const copy = withMedia(body, places, [{ mediaType: 'application/pdf', base64: 'AAAA' }]);
  expect(body).toEqual(before);
  expect(copy.messages[0]).toBe(body.messages[0]);
  return copy.messages[1]!.content[1] as object;
}

test.each<[string, object, object]>([
  [
    'a data URL, beside what else its part says',
    { type: 'image_url', image_url: { url: URL, detail: 'high' } },
    { type: 'image_url', image_url: { url: DATA, detail: 'high' } },
  ],
  [
    'a data URL in the part itself',
    { type: 'input_image', image_url: URL },
    { type: 'input_image', image_url: DATA },
  ],
  [
    'the bytes of a file, named as its address is',
    { type: 'input_file', file_url: URL },
    { type: 'input_file', filename: 'report.pdf', file_data: DATA },
  ],
  [
    'the bytes of a file, named as the caller names it',
    { type: 'input_file', filename: 'mine.pdf', file_url: URL },
    { type: 'input_file', filename: 'mine.pdf', file_data: DATA },
  ],
  [
    'the bytes of a file in a chat',
    { type: 'file', file: { file_url: URL } },
    { type: 'file', file: { filename: 'report.pdf', file_data: DATA } },
  ],
  [
    'the bytes of sound',
    { type: 'input_audio', input_audio: { data: URL, format: 'mp3' } },
    { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
  ],
  [
    'a data URL in a list',
    { type: 'video', video: ['data:,', URL] },
    { type: 'video', video: ['data:,', DATA] },
  ],
  [
    'a source of bytes',
    { type: 'document', title: 'T', source: { type: 'url', url: URL } },
    { type: 'document', title: 'T', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } },
  ],
])("a URL's media become %s", (_what, part, expected) => {
  expect(inlined(part)).toEqual(expected);
});
