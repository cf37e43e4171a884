namespace VectorPipe.Quantization;

/// <summary>A query's share in distances to codes with factors: constant + weight x norm + scale x sum.</summary>
/// <param name="Constant">The same for every code.</param>
/// <param name="NormWeight">How often the code's squared norm counts.</param>
internal readonly record struct QueryTerms(float Constant, float NormWeight);
