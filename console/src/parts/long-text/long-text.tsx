/** Shows a text, of a very long one only the beginning, with the whole to download. */
import { Button } from '../button/button.tsx';
import styles from './long-text.module.css';

/** A page stays quick with texts of up to this many characters. */
export const MAX_CHARACTERS = 256 * 1_024;

interface LongTextProps {
  text: string;
  /** The name of the file that the whole text is saved as. */
  name: string;
  /** The number of characters that are shown at most. */
  room?: number;
}

export function LongText({ text, name, room = MAX_CHARACTERS }: LongTextProps) {
  const isCut = text.length > room;
  return (
    <>
      <div role="region" aria-label={name} tabIndex={0} className={styles['frame']}>
        <pre className="words" dir="auto">
          {isCut ? text.slice(0, room) : text}
        </pre>
      </div>
      {isCut && (
        <p className="row muted">
          The first {room.toLocaleString()} of {text.length.toLocaleString()} characters.
          <Button onClick={() => download(text, name)}>Download all</Button>
        </p>
      )}
    </>
  );
}

function download(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
