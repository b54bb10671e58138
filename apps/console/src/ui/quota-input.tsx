import { type Ref, useState } from 'react'
import { formatQuota, group, type Money, parseMoney, parseWhole } from '../lib/quota.ts'
import { useMoney } from '../lib/status.ts'
import { storage } from '../lib/storage.ts'
import { useT } from '../lib/t.ts'
import type { ControlProps } from './field.tsx'
import { Input } from './input.tsx'

type Unit = 'quota' | 'money'

export interface QuotaInputProps {
  readonly control: ControlProps
  readonly inputRef?: Ref<HTMLInputElement>
  /** Quota, as typed. A text that is no amount is passed on as it is, so that the form's check refuses it. */
  readonly value: string
  readonly onChange: (value: string) => void
  readonly onBlur?: () => void
  readonly isDisabled?: boolean
  readonly placeholder?: string
}

/** A field for an amount of quota. If the server shows money, a switch lets the user type money; the other unit is shown beside it. */
export function QuotaInput({ control, inputRef, value, onChange, onBlur, isDisabled = false, placeholder }: QuotaInputProps) {
  const money = useMoney()
  const { unit, shown: text, type, change } = useUnits(value, money)
  return (
    <div className="relative">
      <Input
        {...control}
        ref={inputRef}
        inputMode="decimal"
        value={text}
        disabled={isDisabled}
        placeholder={placeholder}
        onChange={({ target }) => onChange(type(target.value))}
        onBlur={onBlur}
        className="pr-40 tabular"
      />
      {money.inCurrency ? <UnitSwitch {...{ unit, value, money, isDisabled }} onChange={change} /> : null}
    </div>
  )
}

/** The text of the field in the chosen unit. What is typed stays as it is, until the value changes from outside. */
function useUnits(value: string, money: Money) {
  const [chosen, setChosen] = useState<Unit>(() => (storage.readText('ui-quota-unit') === 'money' ? 'money' : 'quota'))
  const [typed, setTyped] = useState<{ readonly text: string; readonly value: string } | null>(null)
  const unit = money.inCurrency ? chosen : 'quota'
  const inMoney = () => (typed?.value === value ? typed.text : amountOf(value, money))
  return {
    unit,
    shown: unit === 'quota' ? value : inMoney(),
    /** @returns the quota of a typed text */
    type: (text: string): string => {
      const next = unit === 'quota' ? text : String(parseMoney(text, money) ?? text)
      setTyped({ text, value: next })
      return next
    },
    change: () => {
      const next = unit === 'quota' ? 'money' : 'quota'
      storage.writeText('ui-quota-unit', next)
      setTyped(null)
      setChosen(next)
    },
  }
}

interface UnitSwitchProps {
  readonly unit: Unit
  readonly value: string
  readonly money: Money
  readonly isDisabled: boolean
  readonly onChange: () => void
}

/** The amount in the other unit, and a button that changes to it. */
function UnitSwitch({ unit, value, money, isDisabled, onChange }: UnitSwitchProps) {
  const t = useT()
  const quota = isDisabled ? null : parseWhole(value)
  const other = quota === null ? '' : unit === 'quota' ? formatQuota(quota, money) : group(quota)
  return (
    <span className="absolute inset-y-0 right-1 flex items-center gap-1.5 text-sm text-muted">
      <span className="tabular">{other}</span>
      <button
        type="button"
        disabled={isDisabled}
        aria-label={t(unit === 'quota' ? 'quota.type.money' : 'quota.type.quota')}
        onClick={onChange}
        className="relative h-6 rounded-sm border px-1.5 text-xs font-medium before:absolute before:content-[''] hover:bg-hover disabled:opacity-50 touch:h-9 touch:before:-inset-1.5"
      >
        {unit === 'quota' ? t('unit.quota') : '$'}
      </button>
    </span>
  )
}

/** A text that is no amount is shown as it is. */
function amountOf(value: string, { quotaPerUnit }: Money): string {
  const quota = parseWhole(value)
  return quota === null ? value : String(Number((quota / quotaPerUnit).toFixed(6)))
}
