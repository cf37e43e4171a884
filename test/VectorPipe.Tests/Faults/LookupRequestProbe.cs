using NUnit.Framework;
using VectorPipe.Searching;

namespace VectorPipe.Tests.Faults;

/// <summary>A look-up that counts how often it was ended.</summary>
internal sealed class LookupRequestProbe : LookupRequest, IRequestProbe
{
    public int Completions { get; private set; }

    /// <summary>The vector; null if the index does not hold the key.</summary>
    public required byte[]? Expected { get; init; }

    public void AssertAnswer(string name)
    {
        if (Found != Expected is not null || !Vector.SequenceEqual(Expected))
            Assert.Fail($"{name}: key {Key} was {(Found ? "found with another vector" : "not found")}");
    }

    protected override void OnCompleted() => Completions++;
}
