namespace VectorPipe.Bench.Churns;

/// <summary>Which records a churn replaces by others.</summary>
internal enum ChurnPattern
{
    /// <summary>Any live ones.</summary>
    Uniform,

    /// <summary>The oldest.</summary>
    Sliding,

    /// <summary>None: the collection grows.</summary>
    Grow,
}
