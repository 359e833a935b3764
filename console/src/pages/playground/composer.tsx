/** Takes the next question: a text, and pictures. */
import { useRef, useState } from 'react';
import { Button } from '../../parts/button/button.tsx';
import type { Question } from './conversation.ts';
import styles from './playground.module.css';

interface ComposerProps {
  isBusy: boolean;
  /** What is missing before a question can be sent. */
  missing: string | undefined;
  onSend: (question: Question) => void;
  onStop: () => void;
  onDraft: (question: Question) => void;
}

export function Composer({ isBusy, missing, onSend, onStop, onDraft }: ComposerProps) {
  const [question, setQuestion] = useState<Question>({ text: '', images: [] });
  const change = (part: Partial<Question>): void => {
    const next = { ...question, ...part };
    setQuestion(next);
    onDraft(next);
  };
  const send = (): void => {
    if (isBusy || missing !== undefined || question.text.trim() === '') return;
    onSend(question);
    setQuestion({ text: '', images: [] });
  };
  return (
    <form
      className={styles['composer']}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {question.images.length > 0 && (
        <small className="row">
          {question.images.length} pictures attached
          <Button look="quiet" onClick={() => change({ images: [] })}>
            Remove
          </Button>
        </small>
      )}
      <textarea
        aria-label="Message"
        rows={3}
        placeholder="Ask something. Enter sends, Shift and Enter begins a new line."
        value={question.text}
        onChange={(event) => change({ text: event.target.value })}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <div className="row spread">
        <Attach onPictures={(images) => change({ images: [...question.images, ...images] })} />
        {missing !== undefined && <span className="muted">{missing}</span>}
        {isBusy ? (
          <Button look="danger" onClick={onStop}>
            Stop
          </Button>
        ) : (
          <Button look="main" type="submit" disabled={missing !== undefined}>
            Send
          </Button>
        )}
      </div>
    </form>
  );
}

function Attach({ onPictures }: { onPictures: (images: string[]) => void }) {
  const files = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={files}
        type="file"
        accept="image/*"
        multiple
        hidden
        onChange={(event) => {
          void readPictures(event.target.files).then(onPictures);
          event.target.value = '';
        }}
      />
      <Button look="quiet" onClick={() => files.current?.click()}>
        Attach pictures
      </Button>
    </>
  );
}

/** Returns the pictures as data: URLs, which requests carry. */
async function readPictures(files: FileList | null): Promise<string[]> {
  return Promise.all([...(files ?? [])].map(readPicture));
}

function readPicture(file: File): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reader = new FileReader();
  reader.onload = () => resolve(reader.result as string);
  reader.onerror = () => reject(new Error(`${file.name} cannot be read`));
  reader.readAsDataURL(file);
  return promise;
}
