import { expect, test } from '@jest/globals';
import { mediaTypeOf } from '../../../../services/live/urls/media-type.ts';
import type { MediaKind } from '../../../../services/live/prompt/media-fields.ts';

const bytes = (start: string): Buffer => Buffer.from(`${start}and more`, 'latin1');
const PNG = '\x89PNG\r\n\x1a\n';

test.each<[string, string, string | undefined, MediaKind, string | undefined]>([
  ['a picture by its bytes', PNG, 'application/octet-stream', 'image', 'image/png'],
  ['a picture whose host is wrong', '\xff\xd8\xff', 'image/png', 'image', 'image/jpeg'],
  ['a picture in RIFF', 'RIFF\0\0\0\0WEBP', undefined, 'image', 'image/webp'],
  ['a picture that only its host knows', '<svg', 'Image/SVG+XML; charset=utf-8', 'image', 'image/svg+xml'],
  ['a page in place of a picture', '<html', 'text/html', 'image', undefined],
  ['a video in place of a picture', '\0\0\0\x18ftypisom', 'video/mp4', 'image', undefined],
  ['a video', '\0\0\0\x18ftypisom', undefined, 'video', 'video/mp4'],
  ['sound', 'ID3', undefined, 'audio', 'audio/mpeg'],
  ['a document', '%PDF-1.7', 'application/octet-stream', 'file', 'application/pdf'],
  ['a file of any type', 'a,b', 'text/csv; header=present', 'file', 'text/csv'],
  ['a file of which nobody says anything', 'a,b', undefined, 'file', 'application/octet-stream'],
  ['a type that would break out of a data URL', 'a,b', 'text/x,evil', 'file', 'application/octet-stream'],
])('%s gets its media type or none', (_what, start, contentType, kind, type) => {
  expect(mediaTypeOf(bytes(start), contentType, kind)).toBe(type);
});
