namespace VectorPipe.Measuring;

/// <summary>The options of a verb, as far as every verb has them.</summary>
internal interface ICommandArguments
{
    /// <summary>The verb.</summary>
    string Verb { get; }

    /// <summary>Whether errors are shown with their stack trace.</summary>
    bool Verbose { get; }
}
