import { vendorByType, vendors } from '@sluice/vendors/list'
import type { Vendor, VendorColor } from '@sluice/vendors/vendor'
import { useCallback, useMemo } from 'react'
import { type Locale, useLocale, useT } from '../../lib/t.ts'

interface TypeTag {
  readonly name: string
  readonly color: VendorColor
}

function nameIn(locale: Locale, { name, nameZh }: Vendor): string {
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

/** The types to choose from, including the channel's present one, even if this version does not know it. */
export function useTypeOptions(present: number): readonly { readonly value: number; readonly label: string }[] {
  const t = useT()
  const locale = useLocale()
  return useMemo(() => {
    const known = vendors.map((vendor) => ({ value: vendor.type, label: nameIn(locale, vendor) }))
    return known.some(({ value }) => value === present)
      ? known
      : [{ value: present, label: t('channel.type.unknown', { type: present }) }, ...known]
  }, [present, locale, t])
}
