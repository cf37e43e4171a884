namespace VectorPipe.Building;

/// <summary>Tells which of the errors that the threads of a build ended with is the one to know about.</summary>
internal static class BuildErrors
{
    /// <summary>
    /// The first error that names what went wrong with data, files or devices; then any other, before a cancellation. The order in which
    /// threads ended says nothing.
    /// </summary>
    public static Exception Choose(AggregateException errors) => errors.Flatten().InnerExceptions.OrderBy(Rank).FirstOrDefault() ?? errors;

    private static int Rank(Exception error) => error switch
    {
        VectorPipeException => 0,
        OperationCanceledException => 2,
        _ => 1,
    };
}
