using NUnit.Framework;
using VectorPipe.Bench.Tests.Infrastructure;

namespace VectorPipe.Bench.Tests;

[SetUpFixture]
public sealed class SharedDataCleanup
{
    [OneTimeTearDown]
    public void RemoveFiles() => SharedData.Delete();
}
