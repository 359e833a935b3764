/** Shows pictures and sounds of messages, and links to files elsewhere: nothing is fetched but from this server. */
import { useEffect, useRef, useState } from 'react';
import { Button } from '../button/button.tsx';
import styles from './media.module.css';
import type { Medium } from './medium.ts';

export function Media({ media, from }: { media: readonly Medium[]; from: string }) {
  return media.map(({ kind, url }, index) => {
    const name = `${kind === 'sound' ? 'Sound' : 'Picture'} ${index + 1} from ${from}`;
    if (kind === 'picture') return <img key={index} src={url} alt={name} className={styles['picture']} />;
    if (kind === 'sound') return <Sound key={index} url={url} name={name} />;
    // As much of an address as a reader needs.
    const text = url.length > 500 ? `${url.slice(0, 500)}…` : url;
    const link = { href: url, target: '_blank', rel: 'noreferrer', className: styles['link'] };
    return (
      <p key={index} className="words">
        {kind === 'link' ? <a {...link}>{text}</a> : text}
      </p>
    );
  });
}

/**
 * Plays a sound that its URL contains. The content policy allows media elements no `data:` URL, so that the bytes are
 * decoded here.
 */
function Sound({ url, name }: { url: string; name: string }) {
  const [state, setState] = useState<'ready' | 'playing' | 'failed'>('ready');
  const playing = useRef<AudioContext>(undefined);
  const stop = (): void => {
    void playing.current?.close();
    playing.current = undefined;
    setState('ready');
  };
  const play = async (): Promise<void> => {
    if (typeof AudioContext === 'undefined') return setState('failed');
    const context = new AudioContext();
    playing.current = context;
    setState('playing');
    try {
      const source = context.createBufferSource();
      source.buffer = await context.decodeAudioData(bytesOf(url));
      source.connect(context.destination);
      source.onended = () => playing.current === context && stop();
      source.start();
    } catch {
      if (playing.current !== context) return;
      stop();
      setState('failed');
    }
  };
  useEffect(() => () => void playing.current?.close(), []);
  return (
    <p className="row">
      {name}
      <Button onClick={state === 'playing' ? stop : () => void play()}>
        {state === 'playing' ? 'Stop' : 'Play'}
      </Button>
      <span role="status">{state === 'failed' && 'The browser cannot play this sound.'}</span>
    </p>
  );
}

function bytesOf(url: string): ArrayBuffer {
  const text = atob(url.slice(url.indexOf(',') + 1));
  return Uint8Array.from(text, (character) => character.codePointAt(0)!).buffer;
}
