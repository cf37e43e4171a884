namespace VectorPipe.Measuring;

/// <summary>An option whose values are names.</summary>
internal interface IChoice
{
    /// <summary>The option, with its dashes.</summary>
    string Option { get; }

    /// <summary>The first name of each value.</summary>
    IReadOnlyList<string> Names { get; }
}
