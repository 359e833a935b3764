/** Shows what a generation was asked and what it answered, if its workspace logs that. */
import { callTo, useCall } from '../../api/call.ts';
import { asProblem } from '../../api/problem.ts';
import { useSession } from '../../api/session.ts';
import { formatCount } from '../../format/numbers.ts';
import { LongText, MAX_CHARACTERS } from '../../parts/long-text/long-text.tsx';
import { Media } from '../../parts/media/media.tsx';
import { Card } from '../../parts/page/page.tsx';
import { Empty, Loaded } from '../../parts/states/states.tsx';
import { messagesOf, type Said } from './messages.ts';
import styles from './content.module.css';

export function Content({ id }: { id: string }) {
  const { contents: days } = useSession().retention_days;
  const call = callTo('GET', '/generation/content', { query: { id } });
  const content = useCall(call);
  const status = content.error === null ? undefined : asProblem(content.error).status;
  return (
    <Card title="Input and output" call={call}>
      {status === 404 || status === 403 ? (
        <Empty title="Input and output were not kept.">
          They are kept for {formatCount(days)} days if the workspace logs inputs and outputs, from then on. A
          generation that has just ended shows them moments later.
        </Empty>
      ) : (
        <Loaded query={content} what="input and output">
          {({ data }) => (
            <ol className="stack plainList">
              {withRoom(messagesOf(data)).map((said, index) => (
                <Message key={index} said={said} name={`${id}-${index + 1}.txt`} />
              ))}
            </ol>
          )}
        </Loaded>
      )}
    </Card>
  );
}

/** Divides the characters that a page shows among its messages, the first ones first. */
function withRoom(messages: readonly Said[]): (Said & { room: number })[] {
  let room = MAX_CHARACTERS;
  return messages.map((said) => {
    const own = Math.min(said.text.length, room);
    room -= own;
    return { ...said, room: own };
  });
}

interface MessageProps {
  said: Said & { room: number };
  name: string;
}

function Message({ said: { role, text, note, media = [], room }, name }: MessageProps) {
  return (
    <li className={`${styles['message']} ${role === 'assistant' ? styles['answer'] : ''}`}>
      <p>
        <strong>{role}</strong>
        {note !== undefined && <small> · {note}</small>}
      </p>
      {(text !== '' || media.length === 0) && <LongText text={text} name={name} room={room} />}
      <Media media={media} from={role} />
    </li>
  );
}
