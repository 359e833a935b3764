/** Chooses models, the key that pays, and parameters. */
import { Button } from '../../parts/button/button.tsx';
import { AreaField, Fields, SelectField, TextField } from '../../parts/field/field.tsx';
import { problemOfTools, type Settings } from './chat-body.ts';
import { type Model, ModelField } from './models.tsx';
import type { PayingKey } from './paying-keys.ts';
import styles from './playground.module.css';

interface PanelProps {
  models: readonly Model[];
  model: string;
  second: string;
  keys: readonly PayingKey[];
  payingKey: string;
  /** Reads more keys. Absent: all are there. */
  onMoreKeys: (() => void) | undefined;
  settings: Settings;
  onSearch: (change: { model?: string; second?: string; key?: string }) => void;
  onSettings: (settings: Settings) => void;
}

export function SettingsPanel(props: PanelProps) {
  const { models, model, second, keys, payingKey, onMoreKeys, settings, onSearch, onSettings } = props;
  const set = (part: Partial<Settings>) => onSettings({ ...settings, ...part });
  const number = (name: 'temperature' | 'topP' | 'maxTokens', label: string, max?: number) => (
    <TextField
      label={label}
      type="number"
      min={name === 'maxTokens' ? 1 : 0}
      max={max}
      step={name === 'maxTokens' ? 1 : 0.1}
      placeholder="default"
      value={settings[name]}
      onText={(text) => set({ [name]: text })}
    />
  );
  return (
    <aside className="box" aria-label="Settings">
      <Fields>
        <ModelField label="Model" value={model} models={models} onPick={(id) => onSearch({ model: id })} />
        <ModelField
          label="Second model"
          hint="Answers beside the first; may be empty."
          value={second}
          models={models}
          onPick={(id) => onSearch({ second: id || undefined })}
        />
        <SelectField
          label="Key that pays"
          hint="Its limits apply, and its generations are recorded under it."
          value={payingKey}
          options={keys.map(({ hash, name, label }) => ({
            value: hash,
            label: keys.some((key) => key.name === name && key.hash !== hash) ? `${name} (${label})` : name,
          }))}
          onPick={(key) => onSearch({ key })}
        />
        {onMoreKeys !== undefined && <Button onClick={onMoreKeys}>Show more keys</Button>}
        <AreaField label="System prompt" value={settings.system} onText={(system) => set({ system })} />
        <div className={styles['numbers']}>
          {number('temperature', 'Temperature', 2)}
          {number('topP', 'Top p', 1)}
          {number('maxTokens', 'Max tokens')}
        </div>
        <details>
          <summary>Tools</summary>
          <AreaField
            label="Tools as JSON"
            value={settings.tools}
            problem={problemOfTools(settings.tools)}
            onText={(tools) => set({ tools })}
          />
        </details>
      </Fields>
    </aside>
  );
}
