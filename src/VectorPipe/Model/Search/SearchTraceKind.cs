namespace VectorPipe.Model.Search;

/// <summary>Kind of an event of a traced query.</summary>
internal enum SearchTraceKind
{
    /// <summary>A read was issued.</summary>
    Submit,

    /// <summary>A read landed; its duration is the time since it was issued.</summary>
    Complete,

    /// <summary>A page was found in the cache.</summary>
    CacheHit,

    /// <summary>The vectors of a page were scored exactly.</summary>
    TakeIn,

    /// <summary>A node was expanded: its links were scored and ranked.</summary>
    Expand,

    /// <summary>The query had nothing to do until a read landed.</summary>
    Wait,

    /// <summary>A stretch of computing for the query, all that the statistics count; expansions and the like are parts of it.</summary>
    Compute,

    /// <summary>The query was answered.</summary>
    Done,
}
