namespace VectorPipe.Tool.Doctor;

/// <summary>One thing that was looked at.</summary>
/// <param name="Name">What.</param>
/// <param name="Value">What was found.</param>
/// <param name="Advice">What to change, and what it brings; null if it is well.</param>
internal sealed record Finding(string Name, string Value, string? Advice = null);
