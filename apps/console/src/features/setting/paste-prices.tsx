import { useState } from 'react'
import { useT } from '../../lib/t.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Textarea } from '../../ui/input.tsx'
import { Segments } from '../../ui/segments.tsx'
import { type PriceScale, type RatioRow, readPasted } from './ratio-rows.ts'

interface PastePricesProps {
  readonly scale: PriceScale
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onTake: (rows: readonly RatioRow[]) => void
}

/** Takes over many prices from a spreadsheet or a price list. */
export function PastePrices({ scale, isOpen, onClose, onTake }: PastePricesProps) {
  const t = useT()
  const [text, setText] = useState('')
  const [unit, setUnit] = useState<'ratio' | 'dollars'>('dollars')
  const { rows, badLines } = readPasted(text, unit, scale)
  const take = () => {
    onTake(rows)
    setText('')
    onClose()
  }
  return (
    <Dialog title={t('setting.prices.paste.title')} isOpen={isOpen} onClose={onClose}>
      <div className="space-y-3">
        <Segments
          label={t('setting.prices.paste.unit')}
          value={unit}
          options={(['dollars', 'ratio'] as const).map((value) => ({ value, label: t(`setting.prices.paste.${value}`) }))}
          onChange={setUnit}
        />
        <Field
          label={t('setting.prices.title')}
          hint={t('setting.prices.paste.hint')}
          error={badLines.length === 0 ? undefined : t('setting.prices.paste.bad', { count: badLines.length, lines: badLines.join(', ') })}
        >
          {(control) => (
            <Textarea
              {...control}
              data-first
              rows={8}
              value={text}
              placeholder={'gpt-4o\t2.5\t10'}
              onChange={({ target }) => setText(target.value)}
              className="font-mono text-sm"
            />
          )}
        </Field>
        <div className="flex flex-row-reverse justify-start gap-2">
          <Button look="primary" disabled={rows.length === 0 || badLines.length > 0} onClick={take}>
            {t('setting.prices.paste.apply', { count: rows.length })}
          </Button>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
        </div>
      </div>
    </Dialog>
  )
}
