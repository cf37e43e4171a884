using NUnit.Framework.Interfaces;
using NUnit.Framework.Internal.Commands;

namespace VectorPipe.TestHost;

/// <summary>Fails each test of an assembly that hangs, with its set-up and tear-down, and says which operations are in flight.</summary>
[AttributeUsage(AttributeTargets.Assembly)]
internal sealed class HangBoundAttribute : Attribute, IWrapSetUpTearDown
{
    public TestCommand Wrap(TestCommand command) => new BoundedCommand(command);
}
