import { type VendorColor, vendorGroups } from '@sluice/vendors/vendor'
import { useCallback, useMemo } from 'react'
import { type Locale, useLocale, useT } from '../../lib/t.ts'
import type { VendorFacts } from './vendor-facts.ts'
import { vendorByType, vendors } from './vendors.ts'

interface TypeTag {
  readonly name: string
  readonly color: VendorColor
}

function nameIn(locale: Locale, { name, nameZh }: VendorFacts): string {
  return locale === 'zh' ? (nameZh ?? name) : name
}

/** The name of a channel type, and the colour of its tag. */
export function useTypeTag(): (type: number) => TypeTag {
  const t = useT()
  const locale = useLocale()
  return useCallback(
    (type) => {
      const vendor = vendorByType(type)
      if (vendor === null) return { name: t('channel.type.unknown', { type }), color: 'grey' }
      return { name: nameIn(locale, vendor), color: vendor.color }
    },
    [t, locale],
  )
}

interface TypeGroup {
  readonly label: string
  readonly types: readonly (TypeTag & { readonly type: number })[]
}

/** The types to choose from, in groups; the channel's present one is among them even if this version does not know it. */
export function useTypeGroups(present: number): readonly TypeGroup[] {
  const t = useT()
  const locale = useLocale()
  return useMemo(() => {
    const known = vendorGroups.map((group) => ({
      label: t(`channel.types.${group}`),
      types: vendors
        .filter((vendor) => vendor.group === group)
        .map((vendor) => ({ type: vendor.type, name: nameIn(locale, vendor), color: vendor.color })),
    }))
    const shown = known.filter(({ types }) => types.length > 0)
    if (vendorByType(present) !== null) return shown
    const unknown = { type: present, name: t('channel.type.unknown', { type: present }), color: 'grey' } as const
    return [{ label: t('channel.types.unknown'), types: [unknown] }, ...shown]
  }, [present, locale, t])
}

/** Two letters that stand for a name: the initials of its first two words, or the beginning of its only one. */
export function vendorMark(name: string): string {
  const [first = '', second] = name.split(/[\s./-]+/u).filter((word) => word !== '')
  const letters = second === undefined ? [...first].slice(0, 2) : [...first].slice(0, 1).concat([...second].slice(0, 1))
  const [one = '', two = ''] = letters
  // A Chinese character is as wide as two letters.
  return /\p{Script=Han}/u.test(one) ? one : `${one.toUpperCase()}${second === undefined ? two.toLowerCase() : two.toUpperCase()}`
}
