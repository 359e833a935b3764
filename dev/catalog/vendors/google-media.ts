/** Lists Google's models of pictures and speech. Facts are from the same pages as those of its models of chat. */
import type { VendorEndpoint, VendorModel } from '../vendor.ts';

const RATIOS = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'];

interface Picture {
  name: string;
  title: string;
  released: string;
  description: string;
  aspectRatios: string[];
  resolutions: string[];
}

const PICTURES: Picture[] = [
  {
    name: 'gemini-nano-banana-2.1',
    title: 'Google: Nano Banana 2.1',
    released: '2026-10-06',
    description: 'Makes and edits pictures of up to 4K, with exact text and consistent subjects.',
    aspectRatios: [...RATIOS, '1:4', '1:8', '4:1', '8:1'],
    resolutions: ['1K', '2K', '4K'],
  },
  {
    name: 'gemini-3-pro-image',
    title: 'Google: Nano Banana Pro (Gemini 3 Pro Image)',
    released: '2026-05-28',
    description: 'Makes and edits pictures that need reasoning, such as diagrams and infographics.',
    aspectRatios: RATIOS,
    resolutions: ['1K', '2K', '4K'],
  },
  {
    name: 'gemini-3.1-flash-lite-image',
    title: 'Google: Nano Banana 2 Lite (Gemini 3.1 Flash Lite Image)',
    released: '2026-06-30',
    description: 'Makes and edits pictures of 1K, fast and cheaply.',
    aspectRatios: RATIOS,
    resolutions: ['1K'],
  },
];

/** Google's names of its voices; there are thousands of others that are not listed. */
const VOICES = [
  'Achernar',
  'Achird',
  'Algenib',
  'Algieba',
  'Alnilam',
  'Aoede',
  'Autonoe',
  'Callirrhoe',
  'Charon',
  'Despina',
  'Enceladus',
  'Erinome',
  'Fenrir',
  'Gacrux',
  'Iapetus',
  'Kore',
  'Laomedeia',
  'Leda',
  'Orus',
  'Puck',
  'Pulcherrima',
  'Rasalgethi',
  'Sadachbia',
  'Sadaltager',
  'Schedar',
  'Sulafat',
  'Umbriel',
  'Vindemiatrix',
  'Zephyr',
  'Zubenelgenubi',
];

const VOICES_OF = [
  {
    name: 'gemini-3.8-flash-tts',
    title: 'Google: Gemini 3.8 Flash TTS',
    description: 'Speech with directions for each turn, in 130 languages.',
  },
  {
    name: 'gemini-3.8-flash-lite-tts',
    title: 'Google: Gemini 3.8 Flash-Lite TTS',
    description: 'Cheap and fast speech in more than 100 languages.',
  },
];

export const MEDIA_MODELS: VendorModel[] = [
  ...PICTURES.map(({ name, title, released, description }) => ({
    id: `google/${name}`,
    canonicalSlug: `google/${name}`,
    name: title,
    description,
    inputModalities: ['text', 'image'],
    outputModalities: ['image'],
    createdAt: released,
  })),
  ...VOICES_OF.map(({ name, title, description }) => ({
    id: `google/${name}`,
    canonicalSlug: `google/${name}`,
    name: title,
    description,
    inputModalities: ['text'],
    outputModalities: ['audio'],
    contextLength: 8_192,
    createdAt: '2026-09-28',
  })),
];

export const MEDIA_ENDPOINTS: VendorEndpoint[] = [
  ...PICTURES.map(({ name, aspectRatios, resolutions }): VendorEndpoint => ({
    modelId: `google/${name}`,
    capability: 'image',
    upstreamModelId: name,
    supportedParameters: ['aspect_ratio', 'input_references', 'resolution'],
    image: { aspectRatios, resolutions, outputFormats: ['png'], maxReferences: 14 },
  })),
  ...VOICES_OF.map(({ name }): VendorEndpoint => ({
    modelId: `google/${name}`,
    capability: 'speech',
    upstreamModelId: name,
    contextLength: 8_192,
    supportedParameters: ['instructions', 'response_format', 'voice'],
    speech: { voices: VOICES, formats: ['pcm'], turns: true, instructions: true, tokensPerSecond: 25 },
  })),
];
