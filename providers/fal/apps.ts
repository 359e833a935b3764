/** Lists the names that fal's video apps use for the fields of a request. */

/** The way in which an app takes a length: `5`, `"5"` or `"5s"`. */
type DurationForm = 'number' | 'text' | 'suffixed';

/** The fields that most apps share. A way that lacks one of them refuses or ignores it. */
type SharedField = 'duration' | 'resolution' | 'aspect_ratio' | 'seed' | 'generate_audio';

/** A frame, or a kind of references. */
type Medium = 'first_frame' | 'last_frame' | 'image' | 'audio' | 'video';

/** One way to make a video. Each is an app of its own below the name of the model. */
export interface Way {
  /** The path after the upstream's name of the model. */
  path: string;
  fields: readonly SharedField[];
  /** The names of the fields for frames and for lists of references. Absent: not supported. */
  media: Partial<Record<Medium, string | undefined>>;
}

export interface App {
  duration: DurationForm;
  text: Way;
  /** Absent: the app takes no frames. */
  frames?: Way;
  /** Absent: the app takes no references. */
  references?: Way;
}

const ALL = ['duration', 'resolution', 'aspect_ratio', 'seed', 'generate_audio'] as const;

const ofText = (fields: readonly SharedField[], path = '/text-to-video'): Way => ({
  path,
  fields,
  media: {},
});
const ofFrames = (fields: readonly SharedField[], first_frame: string, last_frame?: string): Way => ({
  path: '/image-to-video',
  fields,
  media: { first_frame, last_frame },
});

/**
 * The apps by the beginning of the upstream's name. The names are from the pages
 * `fal.ai/models/<app>/llms.txt` and `fal.ai/docs/model-api-reference` (read 2026-11-28).
 */
const APPS: Readonly<Record<string, App>> = {
  'fal-ai/veo3.1': { duration: 'suffixed', text: ofText(ALL, ''), frames: ofFrames(ALL, 'image_url') },
  'fal-ai/kling-video/v3/': {
    duration: 'text',
    text: ofText(['duration', 'aspect_ratio', 'generate_audio']),
    frames: ofFrames(['duration', 'generate_audio'], 'start_image_url', 'end_image_url'),
  },
  'fal-ai/kling-video/v2.5-turbo/': {
    duration: 'text',
    text: ofText(['duration', 'aspect_ratio']),
    frames: ofFrames(['duration'], 'image_url', 'tail_image_url'),
  },
  'bytedance/seedance-2.0': {
    duration: 'text',
    text: ofText(ALL),
    frames: ofFrames(ALL, 'image_url', 'end_image_url'),
    references: {
      path: '/reference-to-video',
      fields: ALL,
      media: { image: 'image_urls', video: 'video_urls', audio: 'audio_urls' },
    },
  },
  'fal-ai/wan/v2.7': {
    duration: 'number',
    text: ofText(['duration', 'resolution', 'aspect_ratio', 'seed']),
    frames: ofFrames(['duration', 'resolution', 'seed'], 'image_url', 'end_image_url'),
  },
  'fal-ai/minimax/hailuo-2.3/pro': { duration: 'text', text: ofText([]), frames: ofFrames([], 'image_url') },
  'fal-ai/luma-dream-machine/ray-2-flash': {
    duration: 'suffixed',
    text: ofText(['duration', 'resolution', 'aspect_ratio'], ''),
  },
};

/** An app that is not listed, such as one in an operator's own catalog: its name is the whole path. */
const OTHER_APP: App = {
  duration: 'text',
  text: ofText(ALL, ''),
  frames: { ...ofFrames(ALL, 'image_url', 'end_image_url'), path: '' },
};

/** Returns the names that an app uses. */
export function appOf(upstreamModel: string): App {
  const prefix = Object.keys(APPS).find((each) => upstreamModel.startsWith(each));
  return APPS[prefix ?? ''] ?? OTHER_APP;
}
