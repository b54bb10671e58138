import { type OptionKey, optionRow, type Reliant, reliantsOf, type Settings } from '@sluice/contract'
import { AppError } from '../../lib/app-error.ts'
import { mayVouch } from '../authorize.ts'

interface Setter {
  readonly role: number
  /** The server itself, for options that root sees then. */
  readonly isProgram?: boolean
}

/** Services that log in to accounts. */
const loginServices: readonly Reliant[] = ['github', 'google', 'oidc', 'lark', 'wechat']

/**
 * Some options are root's alone. Without login by password, root may have only a login service as a way in: then nobody else may change one.
 * @throws AppError option_needs_root
 */
export function checkSetter(key: OptionKey, setter: Setter, { PasswordLoginEnabled }: Settings): void {
  if (mayVouch(setter) || setter.isProgram === true) return
  const isWayIn = !PasswordLoginEnabled && reliantsOf(key).some((reliant) => loginServices.includes(reliant))
  if (optionRow(key).isRootOnly === true || isWayIn) throw new AppError('option_needs_root', { params: { name: key } })
}

/** Whether only root, or an administrator with a second factor, may set the value: others would shut out root and themselves. */
export function needsOwnFactor(key: OptionKey, value: string, setter: Setter): boolean {
  return key === 'AdminSecondFactorRequired' && value === 'true' && !mayVouch(setter)
}

/** Whether a new value of an option takes effect only after root has approved it. */
export function needsApproval(key: OptionKey, value: unknown, setter: Setter): boolean {
  const { approval } = optionRow(key)
  return !mayVouch(setter) && (approval === 'always' || (approval === 'off' && value === false))
}
