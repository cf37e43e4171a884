namespace VectorPipe.Measuring;

/// <summary>Verbs that the help shows together.</summary>
/// <param name="Heading">What they have in common.</param>
/// <param name="Arguments">The classes of their arguments.</param>
internal sealed record VerbGroup(string Heading, params Type[] Arguments);
