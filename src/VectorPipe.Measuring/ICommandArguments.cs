namespace VectorPipe.Measuring;

/// <summary>The options that every verb has.</summary>
internal interface ICommandArguments
{
    string Verb { get; }

    /// <summary>Whether errors are shown with their stack trace.</summary>
    bool Verbose { get; }
}
