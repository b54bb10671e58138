import type { Message } from '../../message.ts'
import type { form as en } from '../en/form.ts'

export const form = {
  'form.leave.title': '离开此页面？',
  'form.leave.text': '此页面上的修改尚未保存。',
  'form.leave.stay': '继续编辑',
  'form.leave.leave': '离开',
  'form.draft': '已恢复您在 {time} 未保存的内容。',
  'form.draft.discard': '放弃草稿',
  'form.lost': '保存时连接中断，无法确定内容是否已保存。',
  'form.lost.new': '保存时连接中断。再次保存之前请先查看列表，条目可能已经创建。',
  'form.lost.check': '加载当前值',
  'form.lost.stored': '内容已保存。',
  'form.lost.differs': '当前保存的内容与您填写的不同，您填写的内容仍在此处，可以再次保存。',
  'form.lost.unseen': '除密钥、密码和连接设置外，其余内容均已保存。这些内容不会完整显示，无法比对，建议再次保存。',
  'form.lost.new.stored': '连接中断，但内容已保存，可在列表中查看。再次保存会重复创建。',
  'form.lost.new.absent': '连接在保存之前中断，内容尚未保存。您填写的内容仍在此处，请再次保存。',
  'form.list': '返回列表',
  'form.conflict.title': '内容已被他人修改',
  'form.conflict.text': '本次尚未保存。请逐项选择要保留的值，然后再次保存。',
  'form.conflict.mine': '您填写的值',
  'form.conflict.theirs': '当前的值',
  'form.conflict.keep': '保留我的',
  'form.conflict.take': '采用对方的',
  'form.conflict.choose': '{field}：{action}',
  'form.conflict.both': '以及双方共有的 {count} 项',
  'form.conflict.empty': '空',
} as const satisfies Record<keyof typeof en, Message>
