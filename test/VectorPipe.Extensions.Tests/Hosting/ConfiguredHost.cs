using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Hosting;

namespace VectorPipe.Extensions.Tests.Hosting;

/// <summary>A host with nothing but a configuration.</summary>
internal static class ConfiguredHost
{
    public static HostApplicationBuilder Builder(Dictionary<string, string?> configuration)
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Configuration.AddInMemoryCollection(configuration);
        return builder;
    }
}
