import type { rightsEn } from './rights-en.ts'

/** The messages of `rightsEn` in Chinese. */
export const rightsZh: Readonly<Record<keyof typeof rightsEn, string>> = {
  base_url_private: '{host} 位于内网。超级管理员可在“设置 > 系统设置 > 内网上游”中允许访问',
  service_address_private: '{service} 位于内网。超级管理员可在“设置 > 系统设置 > 内网上游”中允许访问其主机',
  proxy_private: '代理 {host} 位于内网。超级管理员可在“设置 > 系统设置 > 内网上游”中允许访问',
  option_needs_own_factor: '开启 {name} 会使您和其他管理员无法登录。请先为自己启用两步验证，或联系超级管理员',
  raw_proxy_needs_root: '只有超级管理员可以创建、修改、启用或测试“代理”类型的渠道',
  raw_proxy_rules_required: '请填写该代理允许转发的方法和路径前缀；/ 表示所有路径',
  raw_proxy_refused: '该代理不转发发往此路径的 {method} 请求',
  oauth_register_disabled:
    '没有账户绑定此 {service} 登录，且此处不允许通过 {service} 注册。请用其他方式登录后在设置中绑定 {service}，或联系管理员开通账户',
  oauth_mail_not_allowed: '您的 {service} 账户没有属于允许域名的已验证邮箱。请换用其他 {service} 账户，或联系管理员',
  oauth_domain_not_allowed: '您的 {service} 账户不属于允许的组织。请使用工作账户，或联系管理员',
  oauth_organization_not_allowed: '您的 {service} 账户不属于任何允许的组织，或 {service} 未公开该成员关系。请联系管理员',
  server_address_missing: '暂时无法通过 {service} 登录：尚未设置本服务器的地址（ServerAddress），{service} 无法跳转回来。请联系管理员设置',
  oauth_group_not_allowed: '您的 {service} 账户不属于任何允许的用户组。请联系管理员',
  log_private_upstreams:
    '已有多名管理员：渠道只能访问列表中的内网主机。已将现有渠道的 {count} 个主机加入列表：{hosts}。因列表已满而未加入：{left}',
  log_option_proposed: '{actor} 提交了设置项 {key} 的新值，等待超级管理员审批',
  log_option_rejected: '{actor} 驳回了设置项 {key} 的新值',
  log_options_confirmed: '{actor} 批准了设置项 {keys}',
  log_options_waiting: '以下设置项等待超级管理员审批：{keys}',
  option_pending: '已提交，等待超级管理员审批。在此之前，当前值继续生效',
}
