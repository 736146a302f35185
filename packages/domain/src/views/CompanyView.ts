import type { Company } from "../model/Company.ts"

/** A company in full: 13 keys, `id` as a string. Null for null. [ENG-10] */
export const companyView = (company: Company | null) =>
  company === null
    ? null
    : {
        id: String(company.id),
        name: company.name,
        url: company.url,
        homepageUrl: company.homepageUrl,
        logoUrl: company.logoUrl,
        industry: company.industry,
        staffCountRange: company.staffCountRange,
        staffCount: company.staffCount,
        location: company.location,
        country: company.country,
        city: company.city,
        username: company.username,
        description: company.description
      }

/**
 * The short form of a company that a lead carries: id, name and domain, `id` as an integer. Null for null. [LIST-8]
 */
export const leadCompanyView = (company: Company | null) =>
  company === null ? null : { id: company.id, name: company.name, domain: company.domain }
