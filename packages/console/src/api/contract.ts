/** The types of the API, which `npm run openapi -- --types` writes. */
export interface paths {
    "/signals/leads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listLeads"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/signals/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/signals/leads/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getLead"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/signal-leads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @deprecated */
        get: operations["listSignalLeads"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/signal-leads/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @deprecated */
        get: operations["getSignalLead"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/campaign/{id}/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["campaignMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/campaign/{id}/series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["readCampaignSeries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/campaigns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["readCampaigns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/signals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["readSignals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["session.session"];
        put?: never;
        post: operations["session.signIn"];
        delete: operations["session.signOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["operator.metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/brands": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["operator.listBrands"];
        put?: never;
        post: operations["operator.createBrand"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/brands/{brandId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["operator.deleteBrand"];
        options?: never;
        head?: never;
        patch: operations["operator.renameBrand"];
        trace?: never;
    };
    "/operator/brands/{brandId}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["operator.listKeys"];
        put?: never;
        post: operations["operator.createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/brands/{brandId}/keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["operator.revokeKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/brands/{brandId}/signals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["operator.listSignals"];
        put?: never;
        post: operations["operator.createSignal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/brands/{brandId}/signals/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["operator.deleteSignal"];
        options?: never;
        head?: never;
        patch: operations["operator.renameSignal"];
        trace?: never;
    };
    "/operator/brands/{brandId}/observations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["operator.recordObservations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/brands/{brandId}/leads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["operator.operatorLeads"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/brands/{brandId}/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["operator.operatorChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/brands/{brandId}/leads/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["operator.operatorLead"];
        put?: never;
        post?: never;
        delete: operations["operator.eraseLead"];
        options?: never;
        head?: never;
        patch: operations["operator.amendLead"];
        trace?: never;
    };
    "/operator/brands/{brandId}/leads/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["operator.exportLead"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/brands/{brandId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["operator.liveEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/brands/{brandId}/series/leads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["operator.leadSeries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/brands/{brandId}/series/engagements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["operator.engagementSeries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/brands/{brandId}/series/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["operator.deliverySeries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/brands/{brandId}/attention": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["operator.attention"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/brands/{brandId}/campaigns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["operator.listCampaigns"];
        put?: never;
        post: operations["operator.createCampaign"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/brands/{brandId}/campaigns/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["operator.deleteCampaign"];
        options?: never;
        head?: never;
        patch: operations["operator.renameCampaign"];
        trace?: never;
    };
    "/operator/brands/{brandId}/campaigns/{id}/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["operator.operatorMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/brands/{brandId}/campaigns/{id}/series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["operator.campaignSeries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/brands/{brandId}/campaigns/{id}/posts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["operator.listPosts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/brands/{brandId}/campaigns/{id}/posts/{postId}/snapshots/{day}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["operator.putSnapshot"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["operator.listTokens"];
        put?: never;
        post: operations["operator.createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/tokens/{tokenId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["operator.revokeToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["operator.listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/brands/{brandId}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["webhooks.listWebhooks"];
        put?: never;
        post: operations["webhooks.createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/brands/{brandId}/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["webhooks.webhook"];
        put?: never;
        post?: never;
        delete: operations["webhooks.deleteWebhook"];
        options?: never;
        head?: never;
        patch: operations["webhooks.changeWebhook"];
        trace?: never;
    };
    "/operator/brands/{brandId}/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/brands/{brandId}/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/brands/{brandId}/webhooks/{id}/recover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.recoverWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/brands/{brandId}/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["webhooks.listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/brands/{brandId}/webhooks/{id}/deliveries/{deliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["webhooks.delivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/brands/{brandId}/webhooks/{id}/deliveries/{deliveryId}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.resendDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/brands/{brandId}/leads/{id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["webhooks.resendLead"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
/** Schemas by their names in the document. */
export interface components {
    schemas: {
        Error: {
            error: {
                code: string;
                message: string;
            };
        };
        InvalidParameterError: {
            error: {
                /** @enum {string} */
                code: "invalid_parameter";
                message: string;
            };
        };
        Observation: {
            signalId: string;
            person: {
                extId: string;
                name: string;
                headline?: string | null;
                username?: string | null;
                title1?: string | null;
                liProfileUrl?: string | null;
                profileImgUrl?: string | null;
                company?: {
                    /** between(1, 9007199254740991) */
                    id: components["schemas"]["Int"];
                    name?: string | null;
                    domain?: string | null;
                    url?: string | null;
                    homepageUrl?: string | null;
                    logoUrl?: string | null;
                    industry?: string | null;
                    staffCountRange?: string | null;
                    staffCount?: number | null;
                    location?: string | null;
                    country?: string | null;
                    city?: string | null;
                    username?: string | null;
                    description?: string | null;
                } | null;
            };
            engagement: {
                id: string;
                type?: ("comment" | "reaction" | "repost") | null;
                reactionType?: string | null;
                commentText?: string | null;
                postUrl?: string | null;
                postContent?: string | null;
                postPostedAt?: string | null;
                postAuthor?: string | null;
                postAuthorDetail?: {
                    extId?: string | null;
                    name?: string | null;
                    firstName?: string | null;
                    lastName?: string | null;
                    headline?: string | null;
                    username?: string | null;
                    linkedinProfileUrl?: string | null;
                    profileImageUrl?: string | null;
                } | null;
                emittedAt?: string | null;
                trackedAt?: string | null;
            };
        };
        /** int */
        Int: number;
        LiveEvent: {
            /** @enum {string} */
            event: "lead2.created" | "activity.detected";
            /** Format: date-time */
            occurredAt: string;
            isFirstActivity: boolean;
            lead: {
                id: number;
                name: string;
                headline: string | null;
            };
            engagement: {
                id: string;
                /** @enum {string|null} */
                type: "comment" | "reaction" | "repost" | null;
                reactionType: string | null;
            };
            signal: {
                id: string;
                name: string;
            };
        };
        LeadCreatedEvent: {
            id: string;
            /** @enum {string} */
            event: "lead2.created";
            /** @enum {string} */
            version: "1";
            /** Format: date-time */
            createdAt: string;
            brandId: string;
            data: {
                lead2: components["schemas"]["Lead2"];
                engagements: components["schemas"]["EventEngagement"][];
            };
        };
        Lead2: {
            id: number;
            extId: string;
            name: string;
            username: string | null;
            headline: string | null;
            title1: string | null;
            liProfileUrl: string | null;
            profileImgUrl: string | null;
            leadCompany: components["schemas"]["LeadCompany"] | null;
        };
        LeadCompany: {
            id: number;
            name: string | null;
            domain: string | null;
        };
        EventEngagement: {
            id: string;
            /** @enum {string|null} */
            type: "comment" | "reaction" | "repost" | null;
            reactionType: string | null;
            commentText: string | null;
            postUrl: string | null;
            postContent: string | null;
            /** Format: date-time */
            postPostedAt: string | null;
            postAuthor: string | null;
            postAuthorDetail: components["schemas"]["PostAuthorDetail"] | null;
            source: components["schemas"]["Source"] | null;
            signal: {
                id: string;
                name: string;
                signalType: string;
            } | null;
            /** Format: date-time */
            emittedAt: string | null;
            /** Format: date-time */
            trackedAt: string;
        };
        PostAuthorDetail: {
            name: string | null;
            firstName: string | null;
            lastName: string | null;
            headline: string | null;
            username: string | null;
            linkedinProfileUrl: string | null;
            profileImageUrl: string | null;
            company: components["schemas"]["Company"] | null;
            leadId: string | null;
        };
        Company: {
            id: string;
            name: string | null;
            url: string | null;
            homepageUrl: string | null;
            logoUrl: string | null;
            industry: string | null;
            staffCountRange: string | null;
            staffCount: number | null;
            location: string | null;
            country: string | null;
            city: string | null;
            username: string | null;
            description: string | null;
        };
        Source: {
            id: string | null;
            /** @enum {string|null} */
            type: "li-company-url" | "li-company-mention" | "li-profile-url" | "post-url" | "posts-with-keywords" | null;
            value: string | null;
            liCompanyId: string | null;
            company: components["schemas"]["Company"] | null;
        };
        ActivityDetectedEvent: {
            id: string;
            /** @enum {string} */
            event: "activity.detected";
            /** @enum {string} */
            version: "1";
            /** Format: date-time */
            createdAt: string;
            brandId: string;
            data: {
                isFirstActivity: boolean;
                lead2: components["schemas"]["Lead2"];
                engagements: components["schemas"]["EventEngagement"][];
            };
        };
        TestEvent: {
            id: string;
            /** @enum {string} */
            event: "webhook.test";
            /** @enum {string} */
            version: "1";
            /** Format: date-time */
            createdAt: string;
            brandId: string;
            data: {
                webhookId: string;
                message: string;
            };
        };
        LeadListAnswer: {
            data: components["schemas"]["Lead"][];
            meta: {
                pagination: {
                    page: number;
                    pageSize: number;
                    pageCount: number;
                    total: number;
                };
                sort: string;
                engagements: {
                    detailIncluded: boolean;
                };
                warnings?: string[];
            };
        };
        Lead: {
            id: number;
            extId: string;
            name: string;
            headline: string | null;
            username: string | null;
            title1: string | null;
            liProfileUrl: string | null;
            profileImgUrl: string | null;
            leadCompany: components["schemas"]["LeadCompany"] | null;
            signalId: string;
            signalIds: string[];
            qualified: boolean;
            exported: boolean;
            isEmployee: boolean;
            score1: number | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            engagements?: components["schemas"]["Engagement"][];
            engagementsMeta?: components["schemas"]["EngagementsMeta"];
        };
        Engagement: {
            id: string;
            /** @enum {string|null} */
            type: "comment" | "reaction" | "repost" | null;
            reactionType: string | null;
            commentText: string | null;
            postUrl: string | null;
            postContent: string | null;
            /** Format: date-time */
            postPostedAt: string | null;
            postAuthor: string | null;
            postAuthorDetail?: components["schemas"]["PostAuthorDetail"] | null;
            source?: components["schemas"]["Source"] | null;
            signal: {
                id: string;
                name: string;
                signalType: string;
            } | null;
            /** Format: date-time */
            emittedAt: string | null;
            /** Format: date-time */
            trackedAt: string;
        };
        EngagementsMeta: {
            truncated: boolean;
        };
        InvalidApiKeyError: {
            error: {
                /** @enum {string} */
                code: "invalid_api_key";
                message: string;
            };
        };
        ForbiddenError: {
            error: {
                /** @enum {string} */
                code: "forbidden";
                message: string;
            };
        };
        RateLimitError: {
            error: {
                /** @enum {string} */
                code: "rate_limit_exceeded";
                message: string;
            };
        };
        UnavailableError: {
            error: {
                /** @enum {string} */
                code: "unavailable";
                message: string;
            };
        };
        ChangeFeedAnswer: {
            data: (components["schemas"]["ChangedLead"] | components["schemas"]["RemovedLead"])[];
            meta: {
                cursor: string;
                hasMore: boolean;
                warnings?: string[];
            };
        };
        ChangedLead: {
            /** @enum {string} */
            type: "lead";
            lead: components["schemas"]["Lead"];
        };
        RemovedLead: {
            /** @enum {string} */
            type: "removed";
            id: number;
            /** Format: date-time */
            removedAt: string;
        };
        CursorExpiredError: {
            error: {
                /** @enum {string} */
                code: "cursor_expired";
                message: string;
            };
        };
        LeadDetailAnswer: {
            data: components["schemas"]["LeadDetail"];
            meta?: {
                warnings?: string[];
            };
        };
        LeadDetail: {
            id: number;
            extId: string;
            name: string;
            headline: string | null;
            username: string | null;
            title1: string | null;
            liProfileUrl: string | null;
            profileImgUrl: string | null;
            leadCompany: components["schemas"]["LeadCompany"] | null;
            signalId: string;
            signalIds: string[];
            qualified: boolean;
            exported: boolean;
            isEmployee: boolean;
            score1: number | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
            company: components["schemas"]["Company"] | null;
            engagements: components["schemas"]["Engagement"][];
            engagementsMeta: components["schemas"]["EngagementsMeta"];
        };
        NotFoundError: {
            error: {
                /** @enum {string} */
                code: "not_found";
                message: string;
            };
        };
        MetricsAnswer: {
            data: components["schemas"]["Metrics"];
            meta?: {
                warnings?: string[];
            };
        };
        Metrics: {
            campaignId: string;
            impressions: number | null;
            reactions: number | null;
            comments: number | null;
            reposts: number | null;
            engagementRate: number | null;
            snapshotDate: string | null;
        };
        CampaignSeries: {
            campaignId: string;
            postId: string | null;
            /** @enum {string} */
            interval: "hour" | "day" | "week";
            points: {
                /** Format: date-time */
                start: string;
                impressions: number | null;
                reactions: number | null;
                comments: number | null;
                reposts: number | null;
                engagementRate: number | null;
            }[];
        };
        Campaign: {
            id: string;
            name: string;
            /** Format: date-time */
            createdAt: string;
        };
        Signal: {
            id: string;
            name: string;
            signalType: string;
            source: components["schemas"]["Source"];
            /** Format: date-time */
            createdAt: string;
        };
        Health: {
            /** @enum {string} */
            status: "ok" | "degraded";
            reads?: boolean;
            writes?: boolean;
            reason?: string | null;
        };
        Session: {
            /** @enum {string} */
            access: "operator" | "brand";
            brand: components["schemas"]["SessionBrand"] | null;
            scopes: ("read" | "ingest" | "webhooks" | "metrics" | "admin")[] | null;
            brandIds: string[] | null;
            /** Format: date-time */
            expiresAt: string;
        };
        SessionBrand: {
            id: string;
            name: string;
        };
        InvalidCredentialError: {
            error: {
                /** @enum {string} */
                code: "invalid_credential";
                message: string;
            };
        };
        PayloadTooLargeError: {
            error: {
                /** @enum {string} */
                code: "payload_too_large";
                message: string;
            };
        };
        UnsupportedMediaTypeError: {
            error: {
                /** @enum {string} */
                code: "unsupported_media_type";
                message: string;
            };
        };
        RequestTimeoutError: {
            error: {
                /** @enum {string} */
                code: "request_timeout";
                message: string;
            };
        };
        InvalidOperatorTokenError: {
            error: {
                /** @enum {string} */
                code: "invalid_operator_token";
                message: string;
            };
        };
        Brand: {
            id: string;
            name: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            deletionStartedAt: string | null;
        };
        BrandDeletion: {
            deleted: boolean;
            leadsLeft: number;
        };
        CreatedApiKey: {
            id: string;
            label: string;
            start: string;
            requestsPerMinute: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            lastUsedAt: string | null;
            /** Format: date-time */
            revokedAt: string | null;
            /** Format: date-time */
            expiresAt: string | null;
            scopes: ("leads" | "metrics")[];
            allowedAddresses: string[] | null;
            key: string;
        };
        ApiKey: {
            id: string;
            label: string;
            start: string;
            requestsPerMinute: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            lastUsedAt: string | null;
            /** Format: date-time */
            revokedAt: string | null;
            /** Format: date-time */
            expiresAt: string | null;
            scopes: ("leads" | "metrics")[];
            allowedAddresses: string[] | null;
        };
        Outcome: {
            engagementId: string | null;
            /** @enum {string} */
            outcome: "recorded" | "duplicate" | "suppressed" | "rejected";
            leadId: number | null;
            message?: string;
            unknownFields?: string[];
            count?: number;
        };
        LeadExport: {
            lead: components["schemas"]["Lead"];
            company: components["schemas"]["Company"] | null;
            engagements: components["schemas"]["Engagement"][];
            posts: components["schemas"]["AuthoredPost"][];
        };
        AuthoredPost: {
            postUrl: string | null;
            postContent: string | null;
            /** Format: date-time */
            postPostedAt: string | null;
            postAuthor: string | null;
            postAuthorDetail: {
                extId: string | null;
                name: string | null;
                firstName: string | null;
                lastName: string | null;
                headline: string | null;
                username: string | null;
                linkedinProfileUrl: string | null;
                profileImageUrl: string | null;
            } | null;
        };
        CountSeries: {
            /** @enum {string} */
            interval: "hour" | "day" | "week";
            starts: string[];
            series: {
                group: string | null;
                counts: number[];
            }[];
            rest: number[] | null;
        };
        Attention: {
            /** Format: date-time */
            since: string;
            rejectedObservations: {
                count: number;
                /** Format: date-time */
                lastAt: string | null;
            };
            refusedRequests: {
                keyId: string;
                label: string;
                count: number;
                /** Format: date-time */
                lastAt: string | null;
            }[];
        };
        CampaignPost: {
            postId: string;
            impressions: number;
            reactions: number;
            comments: number;
            reposts: number;
            engagementRate: number;
            snapshotDate: string;
        };
        CreatedOperatorToken: {
            id: string;
            name: string;
            start: string;
            scopes: ("read" | "ingest" | "webhooks" | "metrics" | "admin")[];
            brandIds: string[] | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string | null;
            /** Format: date-time */
            lastUsedAt: string | null;
            /** Format: date-time */
            revokedAt: string | null;
            token: string;
        };
        OperatorToken: {
            id: string;
            name: string;
            start: string;
            scopes: ("read" | "ingest" | "webhooks" | "metrics" | "admin")[];
            brandIds: string[] | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string | null;
            /** Format: date-time */
            lastUsedAt: string | null;
            /** Format: date-time */
            revokedAt: string | null;
        };
        AuditListAnswer: {
            data: components["schemas"]["AuditEntry"][];
            meta: {
                nextCursor: string | null;
                warnings?: string[];
            };
        };
        AuditEntry: {
            id: string;
            /** Format: date-time */
            at: string;
            actor: components["schemas"]["AuditActor"];
            viaSession: boolean;
            operation: string;
            brandId: string | null;
            subjectId: string | null;
            status: number | null;
        };
        AuditActor: {
            /** @enum {string} */
            type: "environment" | "token" | "key" | "unknown";
            id: string | null;
            name: string | null;
        };
        CreatedWebhook: {
            id: string;
            url: string;
            events: ("lead2.created" | "activity.detected")[];
            description: string | null;
            enabled: boolean;
            disabledReason: string | null;
            /** Format: date-time */
            failingSince: string | null;
            /** @enum {string} */
            ordering: "none" | "lead";
            maxDelay: number | null;
            /** @enum {string} */
            format: "envelope" | "cloudevents";
            maxBatch: number;
            maxWait: number;
            /** Format: date-time */
            createdAt: string;
            secret: string;
        };
        Webhook: {
            id: string;
            url: string;
            events: ("lead2.created" | "activity.detected")[];
            description: string | null;
            enabled: boolean;
            disabledReason: string | null;
            /** Format: date-time */
            failingSince: string | null;
            /** @enum {string} */
            ordering: "none" | "lead";
            maxDelay: number | null;
            /** @enum {string} */
            format: "envelope" | "cloudevents";
            maxBatch: number;
            maxWait: number;
            /** Format: date-time */
            createdAt: string;
        };
        RotatedSecret: {
            secret: string;
            /** Format: date-time */
            previousSecretExpiresAt: string;
        };
        DeliveryListAnswer: {
            data: components["schemas"]["Delivery"][];
            meta: {
                pagination: {
                    page: number;
                    pageSize: number;
                    pageCount: number;
                    total: number;
                };
                warnings?: string[];
            };
        };
        Delivery: {
            id: string;
            webhookId: string;
            /** @enum {string} */
            event: "lead2.created" | "activity.detected" | "webhook.test";
            leadId: number | null;
            engagementId: string | null;
            /** @enum {string} */
            state: "pending" | "held" | "delivered" | "dead";
            attempts: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            nextAttemptAt: string | null;
            /** Format: date-time */
            finishedAt: string | null;
            lastAttempt: {
                /** Format: date-time */
                at: string;
                durationMillis: number;
                status: number | null;
                /** @enum {string|null} */
                error: "timeout" | "unresolvable" | "target_refused" | "connection" | "tls" | "protocol" | "internal" | null;
            } | null;
            resendOf: string | null;
            resentAs: string | null;
        };
        DeliveryDetail: {
            id: string;
            webhookId: string;
            /** @enum {string} */
            event: "lead2.created" | "activity.detected" | "webhook.test";
            leadId: number | null;
            engagementId: string | null;
            /** @enum {string} */
            state: "pending" | "held" | "delivered" | "dead";
            attempts: number;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            nextAttemptAt: string | null;
            /** Format: date-time */
            finishedAt: string | null;
            lastAttempt: {
                /** Format: date-time */
                at: string;
                durationMillis: number;
                status: number | null;
                /** @enum {string|null} */
                error: "timeout" | "unresolvable" | "target_refused" | "connection" | "tls" | "protocol" | "internal" | null;
            } | null;
            resendOf: string | null;
            resentAs: string | null;
            body: string | null;
            log: components["schemas"]["Attempt"][];
        };
        Attempt: {
            number: number;
            /** Format: date-time */
            at: string;
            durationMillis: number;
            status: number | null;
            /** @enum {string|null} */
            error: "timeout" | "unresolvable" | "target_refused" | "connection" | "tls" | "protocol" | "internal" | null;
            headers: {
                "content-type": string;
                "user-agent": string;
                "webhook-id": string;
                "webhook-timestamp": string;
            };
            response: string | null;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
/** Operations by their ids: parameters, body and answers. */
export interface operations {
    listLeads: {
        parameters: {
            query?: {
                page?: number;
                pageSize?: number;
                signalId?: number;
                qualified?: boolean;
                exported?: boolean;
                isEmployee?: boolean;
                createdAfter?: string;
                createdBefore?: string;
                updatedAfter?: string;
                updatedBefore?: string;
                includeEngagements?: boolean;
                includeEngagementDetail?: boolean;
                search?: string;
                sort?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LeadListAnswer"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    listChanges: {
        parameters: {
            query?: {
                cursor?: string;
                pageSize?: number;
                wait?: number;
                includeEngagements?: boolean;
                includeEngagementDetail?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeFeedAnswer"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    getLead: {
        parameters: {
            query?: {
                includeEngagementDetail?: boolean;
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LeadDetailAnswer"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    listSignalLeads: {
        parameters: {
            query?: {
                page?: number;
                pageSize?: number;
                signalId?: number;
                qualified?: boolean;
                exported?: boolean;
                isEmployee?: boolean;
                createdAfter?: string;
                createdBefore?: string;
                updatedAfter?: string;
                updatedBefore?: string;
                includeEngagements?: boolean;
                includeEngagementDetail?: boolean;
                search?: string;
                sort?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LeadListAnswer"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    getSignalLead: {
        parameters: {
            query?: {
                includeEngagementDetail?: boolean;
            };
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LeadDetailAnswer"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    campaignMetrics: {
        parameters: {
            query?: {
                startDate?: string;
                endDate?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MetricsAnswer"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    readCampaignSeries: {
        parameters: {
            query?: {
                interval?: "day" | "week";
                startDate?: string;
                endDate?: string;
                postId?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CampaignSeries"];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    readCampaigns: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Campaign"][];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    readSignals: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Signal"][];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    ready: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "session.session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Session"] | null;
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "session.signIn": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    credential: string;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Session"];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "session.signOut": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain; version=0.0.4; charset=utf-8": string;
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.listBrands": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Brand"][];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.createBrand": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Brand"];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.deleteBrand": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                brandId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["BrandDeletion"];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.renameBrand": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                brandId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Brand"];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.listKeys": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                brandId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ApiKey"][];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.createKey": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                brandId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    label: string;
                    /** between(1, 1000000) */
                    requestsPerMinute?: components["schemas"]["Int"];
                    /** minItems(1) */
                    scopes?: ("leads" | "metrics")[];
                    expiresAt?: string | null;
                    allowedAddresses?: string[] | null;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CreatedApiKey"];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.revokeKey": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                brandId: string;
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.listSignals": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                brandId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Signal"][];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.createSignal": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                brandId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    signalType: string;
                    source: {
                        /** @enum {string} */
                        type: "li-company-url" | "li-company-mention" | "li-profile-url" | "post-url" | "posts-with-keywords";
                        value: string;
                        liCompanyId?: string | null;
                        company?: {
                            /** between(1, 9007199254740991) */
                            id: components["schemas"]["Int"];
                            name?: string | null;
                            domain?: string | null;
                            url?: string | null;
                            homepageUrl?: string | null;
                            logoUrl?: string | null;
                            industry?: string | null;
                            staffCountRange?: string | null;
                            staffCount?: number | null;
                            location?: string | null;
                            country?: string | null;
                            city?: string | null;
                            username?: string | null;
                            description?: string | null;
                        } | null;
                    };
                };
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Signal"];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.deleteSignal": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                brandId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.renameSignal": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                brandId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Signal"];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.recordObservations": {
        parameters: {
            query?: {
                unknownFields?: "ignore" | "report" | "reject";
            };
            header?: never;
            path: {
                brandId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** maxItems(1000) */
                    observations: components["schemas"]["Observation"][];
                };
                "application/x-ndjson": string;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Outcome"][];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                    "application/x-ndjson": string;
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.operatorLeads": {
        parameters: {
            query?: {
                page?: number;
                pageSize?: number;
                signalId?: number;
                qualified?: boolean;
                exported?: boolean;
                isEmployee?: boolean;
                createdAfter?: string;
                createdBefore?: string;
                updatedAfter?: string;
                updatedBefore?: string;
                includeEngagements?: boolean;
                includeEngagementDetail?: boolean;
                search?: string;
                sort?: string;
            };
            header?: never;
            path: {
                brandId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LeadListAnswer"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.operatorChanges": {
        parameters: {
            query?: {
                cursor?: string;
                pageSize?: number;
                includeEngagements?: boolean;
                includeEngagementDetail?: boolean;
            };
            header?: never;
            path: {
                brandId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangeFeedAnswer"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.operatorLead": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                brandId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["LeadDetail"];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.eraseLead": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                brandId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.amendLead": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                brandId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    qualified?: boolean;
                    exported?: boolean;
                    isEmployee?: boolean;
                    score1?: number | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Lead"];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.exportLead": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                brandId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["LeadExport"];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.liveEvents": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                brandId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.leadSeries": {
        parameters: {
            query?: {
                interval?: "hour" | "day" | "week";
                startDate?: string;
                endDate?: string;
                by?: "signal";
            };
            header?: never;
            path: {
                brandId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CountSeries"];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.engagementSeries": {
        parameters: {
            query?: {
                interval?: "hour" | "day" | "week";
                startDate?: string;
                endDate?: string;
                by?: "signal" | "type";
            };
            header?: never;
            path: {
                brandId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CountSeries"];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.deliverySeries": {
        parameters: {
            query?: {
                interval?: "hour" | "day" | "week";
                startDate?: string;
                endDate?: string;
            };
            header?: never;
            path: {
                brandId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CountSeries"];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.attention": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                brandId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Attention"];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.listCampaigns": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                brandId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Campaign"][];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.createCampaign": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                brandId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Campaign"];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.deleteCampaign": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                brandId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.renameCampaign": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                brandId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Campaign"];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.operatorMetrics": {
        parameters: {
            query?: {
                startDate?: string;
                endDate?: string;
            };
            header?: never;
            path: {
                brandId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MetricsAnswer"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.campaignSeries": {
        parameters: {
            query?: {
                interval?: "day" | "week";
                startDate?: string;
                endDate?: string;
                postId?: string;
            };
            header?: never;
            path: {
                brandId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CampaignSeries"];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.listPosts": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                brandId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CampaignPost"][];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.putSnapshot": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                brandId: string;
                id: string;
                postId: string;
                day: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** between(0, 1000000000000) */
                    impressions: components["schemas"]["Int"];
                    /** between(0, 1000000000000) */
                    reactions: components["schemas"]["Int"];
                    /** between(0, 1000000000000) */
                    comments: components["schemas"]["Int"];
                    /** between(0, 1000000000000) */
                    reposts: components["schemas"]["Int"];
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Metrics"];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.listTokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["OperatorToken"][];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.createToken": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** minItems(1) */
                    scopes: ("read" | "ingest" | "webhooks" | "metrics" | "admin")[];
                    brandIds?: string[] | null;
                    expiresAt?: string | null;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CreatedOperatorToken"];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.revokeToken": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tokenId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "operator.listAudit": {
        parameters: {
            query?: {
                brandId?: string;
                since?: string;
                cursor?: string;
                pageSize?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditListAnswer"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "webhooks.listWebhooks": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                brandId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Webhook"][];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "webhooks.createWebhook": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                brandId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    url: string;
                    /** minItems(1) */
                    events: ("lead2.created" | "activity.detected")[];
                    description?: string | null;
                    enabled?: boolean;
                    /** @enum {string} */
                    ordering?: "none" | "lead";
                    maxDelay?: number | null;
                    /** @enum {string} */
                    format?: "envelope" | "cloudevents";
                    maxBatch?: number;
                    maxWait?: number;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CreatedWebhook"];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "webhooks.webhook": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                brandId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Webhook"];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "webhooks.deleteWebhook": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                brandId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "webhooks.changeWebhook": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                brandId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    url?: string;
                    /** minItems(1) */
                    events?: ("lead2.created" | "activity.detected")[];
                    description?: string | null;
                    enabled?: boolean;
                    /** @enum {string} */
                    ordering?: "none" | "lead";
                    maxDelay?: number | null;
                    /** @enum {string} */
                    format?: "envelope" | "cloudevents";
                    maxBatch?: number;
                    maxWait?: number;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Webhook"];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "webhooks.rotateWebhookSecret": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                brandId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["RotatedSecret"];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "webhooks.testWebhook": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                brandId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            deliveryId: string;
                        };
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "webhooks.recoverWebhook": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                brandId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    since: string;
                };
            };
        };
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            queued: number;
                        };
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "webhooks.listDeliveries": {
        parameters: {
            query?: {
                state?: "pending" | "held" | "delivered" | "dead";
                page?: number;
                pageSize?: number;
            };
            header?: never;
            path: {
                brandId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryListAnswer"];
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "webhooks.delivery": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                brandId: string;
                id: string;
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["DeliveryDetail"];
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "webhooks.resendDelivery": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                brandId: string;
                id: string;
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            deliveryId: string;
                        };
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
    "webhooks.resendLead": {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: string;
            };
            path: {
                brandId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    webhookId: string;
                    /** @enum {string} */
                    event: "lead2.created" | "activity.detected";
                };
            };
        };
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            deliveryId: string;
                        };
                        meta?: {
                            warnings?: string[];
                        };
                    };
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvalidParameterError"];
                };
            };
        };
    };
}
