/** Shows a text, of a very long one only the beginning, with the whole to download. */
import { Button } from '../button/button.tsx';
import styles from './long-text.module.css';

/** A page stays quick with texts of up to this many characters. */
const MAX_CHARACTERS = 256 * 1_024;

export function LongText({ text, name }: { text: string; name: string }) {
  const isCut = text.length > MAX_CHARACTERS;
  return (
    <>
      <div role="region" aria-label={name} tabIndex={0} className={styles['frame']}>
        <pre className={styles['text']} dir="auto">
          {isCut ? text.slice(0, MAX_CHARACTERS) : text}
        </pre>
      </div>
      {isCut && (
        <p className={styles['cut']}>
          The first {MAX_CHARACTERS.toLocaleString()} of {text.length.toLocaleString()} characters.
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
