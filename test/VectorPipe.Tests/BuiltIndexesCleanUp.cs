using NUnit.Framework;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests;

/// <summary>Deletes the indexes that tests shared, after the last test.</summary>
[SetUpFixture]
public sealed class BuiltIndexesCleanUp
{
    [OneTimeTearDown]
    public void Delete() => BuiltIndexes.Delete();
}
