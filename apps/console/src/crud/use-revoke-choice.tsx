import { type ReactNode, type RefObject, useRef, useState } from 'react'
import { useT } from '../lib/t.ts'
import { Switch } from '../ui/toggle.tsx'

interface RevokeChoice {
  /** To be shown in the question. */
  readonly field: ReactNode
  /** What was chosen in the last question. */
  readonly read: () => { readonly revoke_access_tokens: boolean }
}

/** Whether something that ends the sessions of an account also revokes its access tokens. */
export function useRevokeChoice(): RevokeChoice {
  const choice = useRef(true)
  return { field: <KeptSwitch choice={choice} />, read: () => ({ revoke_access_tokens: choice.current }) }
}

/** Keeps its value outside, because a question is rendered once, when it opens. Each question starts with yes. */
function KeptSwitch({ choice }: { readonly choice: RefObject<boolean> }) {
  const [isOn, setOn] = useState(() => {
    choice.current = true
    return true
  })
  const change = (next: boolean) => {
    choice.current = next
    setOn(next)
  }
  return <RevokeSwitch isOn={isOn} onChange={change} />
}

interface RevokeSwitchProps {
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
}

export function RevokeSwitch({ isOn, onChange }: RevokeSwitchProps) {
  const t = useT()
  return <Switch label={t('revoke.tokens')} hint={t('revoke.tokens.hint')} isOn={isOn} onChange={onChange} />
}
