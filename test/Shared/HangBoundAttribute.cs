using NUnit.Framework.Interfaces;
using NUnit.Framework.Internal.Commands;

namespace VectorPipe.TestHost;

/// <summary>Fails every test that hangs, set-up and tear-down included, and describes the operations in flight.</summary>
[AttributeUsage(AttributeTargets.Assembly)]
internal sealed class HangBoundAttribute : Attribute, IWrapSetUpTearDown
{
    public TestCommand Wrap(TestCommand command) => new BoundedCommand(command);
}
