namespace VectorPipe.Building;

/// <summary>Chooses the error to report from those with which the threads of a build ended.</summary>
internal static class BuildErrors
{
    /// <summary>
    /// The first error of data, files or devices; else any other; a cancellation comes last. The order in which threads ended means
    /// nothing.
    /// </summary>
    public static Exception Choose(AggregateException errors) => errors.Flatten().InnerExceptions.OrderBy(Rank).FirstOrDefault() ?? errors;

    private static int Rank(Exception error) => error switch
    {
        VectorPipeException => 0,
        OperationCanceledException => 2,
        _ => 1,
    };
}
